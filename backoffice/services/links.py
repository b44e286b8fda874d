"""Help a caller to pay: create and send a payment link while they are on the phone."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.utils import timezone

from backoffice.audit import AuditAction, audited, snapshot
from backoffice.models import AuditEntry
from backoffice.roles import Right
from backoffice.services.support import masked_address
from backoffice.staff import Staff
from core.formats import money
from core.text import isolated
from customers.phones import masked, normalize_phone
from links.models import PaymentLink
from links.services import LinkDraft, create_link
from merchants.callers import Caller
from merchants.models import Merchant
from merchants.standing import refuse_status
from messages import sms
from messages.models import Channel
from messages.planning import plan_message
from payments.pay_requests import Recipient, count_request

LIFETIME = timedelta(days=7)
KIND = "payment_link"
ACT = "send payment link"


def send_link(
    *,
    staff: Staff,
    merchant_id: str,
    livemode: bool,
    amount: int | None,
    description: str,
    recipient: str,
    now: datetime,
) -> PaymentLink:
    """Create a link for one payment within a week, and send it by e-mail or SMS.

    `amount` is in cents; None if the customer enters it. Raises Forbidden, MerchantNotFound,
    ActionLimitReached; ValidationFailed, CountryNotServed and RateLimited as for merchants by API,
    with the same counts; and as `refuse_status` for a merchant who could not create the link: it
    would ask for money under a name that staff have not checked.
    """
    action = AuditAction(ACT, Right.LINK, "merchant", merchant_id, limited=True)
    with audited(staff=staff, action=action, now=now) as record:
        merchant = Merchant.objects.one(merchant_id)
        refuse_status(merchant, livemode=livemode)
        by_mail = "@" in recipient
        address = recipient if by_mail else normalize_phone(recipient, livemode=livemode)
        draft = LinkDraft(
            currency=settings.DEFAULT_CURRENCY,
            amount=amount,
            description=description,
            max_uses=1,
            expires_at=now + LIFETIME,
        )
        caller = Caller(merchant=merchant, livemode=livemode, actor=staff.actor)
        link = create_link(caller=caller, draft=draft, now=now)
        channel = Channel.EMAIL if by_mail else Channel.SMS
        count_request(link, Recipient(channel, address), now)
        _plan(link, channel, address, now)
        record.after = snapshot(link, "id", "amount", "currency") | {
            "sent_to": masked_address(address) if by_mail else masked(address)
        }
    return link


def sent_by(link: PaymentLink) -> AuditEntry | None:
    """Return the entry about the member of staff who sent a link; None if it is of its shop."""
    sent = AuditEntry.objects.filter(at=link.created_at, subject_id=link.merchant_id, act=ACT)
    return next((entry for entry in sent if entry.after.get("id") == link.pk), None)


def _plan(link: PaymentLink, channel: Channel, address: str, now: datetime) -> None:
    name = " ".join(link.merchant.name.split())
    by_mail = channel == Channel.EMAIL
    plan_message(
        channel=channel,
        kind=KIND,
        recipient=address,
        about=link.pk,
        merchant_id=link.merchant_id,
        livemode=link.livemode,
        subject=f"Payment to {name}"[:200],
        text=_text(link, isolated(name) if by_mail else sms.sanitized(link.merchant.name)),
        now=now,
    )


def _text(link: PaymentLink, name: str) -> str:
    what = f"{money(link.amount, link.currency)} to {name}" if link.amount else f"to {name}"
    until = timezone.localtime(link.expires_at, ZoneInfo(link.merchant.time_zone))
    return f"Pay {what} here, until {until:%d %b}: {link.url} ({settings.SERVICE_NAME})"
