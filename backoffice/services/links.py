"""Help a caller to pay: a payment link, created and sent while they are on the phone."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings

from backoffice.audit import Deed, recorded, refuse_too_often, state_of
from backoffice.roles import Right
from backoffice.services.payments import masked_address
from backoffice.staff import Staff
from core.formats import money
from customers.phones import masked, normalize_phone
from links.models import PaymentLink
from links.services import LinkDraft, create_link, deactivate_link
from merchants.callers import Caller
from merchants.errors import MerchantInactive
from merchants.models import Merchant
from merchants.statuses import MerchantStatus
from messages import sms
from messages.models import Channel
from messages.planning import plan_message

LIFETIME = timedelta(days=7)


@dataclass(frozen=True, kw_only=True)
class LinkWish:
    """A link for one payment, and where it is sent. `amount` in cents; None: entered by hand."""

    merchant_id: str
    livemode: bool
    amount: int | None
    currency: str
    description: str
    channel: Channel
    recipient: str


def send_link(*, staff: Staff, wish: LinkWish, now: datetime) -> PaymentLink:
    """Create a link that can be paid once within a week, and send it.

    Raises Forbidden, MerchantNotFound, MerchantInactive, TooOften, ValidationFailed.
    """
    deed = _deed("send payment link", wish.merchant_id)
    with recorded(staff=staff, deed=deed, now=now) as record:
        merchant = Merchant.objects.one(wish.merchant_id)
        if merchant.status == MerchantStatus.SUSPENDED:
            raise MerchantInactive
        recipient = _recipient(wish)
        refuse_too_often(staff=staff, act=deed.act, now=now)
        draft = LinkDraft(
            currency=wish.currency,
            amount=wish.amount,
            description=wish.description,
            max_uses=1,
            expires_at=now + LIFETIME,
        )
        caller = Caller(merchant=merchant, livemode=wish.livemode, actor=staff.actor)
        link = create_link(caller=caller, draft=draft, now=now)
        by_mail = wish.channel == Channel.EMAIL
        name = " ".join(merchant.name.split()) if by_mail else sms.sanitized(merchant.name)
        plan_message(
            channel=wish.channel,
            kind="payment_link",
            recipient=recipient,
            about=link.pk,
            merchant_id=link.merchant_id,
            livemode=link.livemode,
            subject=f"Payment to {' '.join(merchant.name.split())}"[:200],
            text=_text(link, name),
            now=now,
        )
        record.after = state_of(link, "id", "amount", "currency") | {
            "sent_to": masked_address(recipient) if by_mail else masked(recipient)
        }
    return link


def end_link(*, staff: Staff, link_id: str, reason: str, now: datetime) -> PaymentLink:
    """End a link for good. Raises Forbidden, PaymentLinkNotFound, or the error of its end."""
    with recorded(staff=staff, deed=_deed("end payment link", link_id, reason), now=now) as record:
        before = PaymentLink.objects.one(link_id)
        record.before = state_of(before, "status")
        caller = staff.caller(livemode=before.livemode)
        link = deactivate_link(caller=caller, link_id=link_id, now=now)
        record.after = state_of(link, "status")
    return link


def _recipient(wish: LinkWish) -> str:
    if wish.channel == Channel.EMAIL:
        return wish.recipient
    return normalize_phone(wish.recipient, livemode=wish.livemode)


def _text(link: PaymentLink, name: str) -> str:
    what = f"{money(link.amount, link.currency)} to {name}" if link.amount else f"to {name}"
    return f"Pay {what} here, until {link.expires_at:%d %b}: {link.url} ({settings.SERVICE_NAME})"


def _deed(act: str, subject_id: str, reason: str = "") -> Deed:
    subject_type = "paymentlink" if subject_id.startswith("link_") else "merchant"
    return Deed(
        act=act, right=Right.LINK, subject_type=subject_type, subject_id=subject_id, reason=reason
    )
