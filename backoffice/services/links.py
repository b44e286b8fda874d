"""Help a caller to pay: a payment link, created and sent while they are on the phone."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.utils import timezone

from backoffice.audit import AuditAction, audited, snapshot
from backoffice.roles import Right
from backoffice.services.payments import masked_address
from backoffice.staff import Staff
from core.formats import money
from customers.phones import masked, normalize_phone
from links.models import PaymentLink
from links.services import LinkDraft, create_link
from merchants.callers import Caller
from merchants.errors import MerchantInactive
from merchants.models import Merchant
from merchants.statuses import MerchantStatus
from messages import sms
from messages.models import Channel
from messages.planning import plan_message

LIFETIME = timedelta(days=7)


@dataclass(frozen=True, kw_only=True)
class LinkRequest:
    """A link for one payment, and where it is sent. `amount` in cents; None: entered by hand."""

    merchant_id: str
    livemode: bool
    amount: int | None
    currency: str
    description: str
    channel: Channel
    recipient: str


def send_link(*, staff: Staff, request: LinkRequest, now: datetime) -> PaymentLink:
    """Create a link that can be paid once within a week, and send it.

    Raises Forbidden, MerchantNotFound, MerchantInactive, ActionLimitReached, ValidationFailed.
    """
    act, merchant_id = "send payment link", request.merchant_id
    action = AuditAction(act, Right.LINK, "merchant", merchant_id, limited=True)
    with audited(staff=staff, action=action, now=now) as record:
        merchant = Merchant.objects.one(merchant_id)
        if merchant.status == MerchantStatus.SUSPENDED:
            raise MerchantInactive
        recipient = _recipient(request)
        draft = LinkDraft(
            currency=request.currency,
            amount=request.amount,
            description=request.description,
            max_uses=1,
            expires_at=now + LIFETIME,
        )
        caller = Caller(merchant=merchant, livemode=request.livemode, actor=staff.actor)
        link = create_link(caller=caller, draft=draft, now=now)
        by_mail = request.channel == Channel.EMAIL
        name = " ".join(merchant.name.split()) if by_mail else sms.sanitized(merchant.name)
        plan_message(
            channel=request.channel,
            kind="payment_link",
            recipient=recipient,
            about=link.pk,
            merchant_id=link.merchant_id,
            livemode=link.livemode,
            subject=f"Payment to {' '.join(merchant.name.split())}"[:200],
            text=_text(link, name),
            now=now,
        )
        record.after = snapshot(link, "id", "amount", "currency") | {
            "sent_to": masked_address(recipient) if by_mail else masked(recipient)
        }
    return link


def _recipient(request: LinkRequest) -> str:
    if request.channel == Channel.EMAIL:
        return request.recipient
    return normalize_phone(request.recipient, livemode=request.livemode)


def _text(link: PaymentLink, name: str) -> str:
    what = f"{money(link.amount, link.currency)} to {name}" if link.amount else f"to {name}"
    until = timezone.localtime(link.expires_at, ZoneInfo(link.merchant.time_zone))
    return f"Pay {what} here, until {until:%d %b}: {link.url} ({settings.SERVICE_NAME})"
