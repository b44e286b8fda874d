"""What staff do with a caller: send a receipt, message or payment link, take cash, write a note.

Cash is taken once the customer has confirmed it with a code.
"""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.utils import timezone

from backoffice.audit import AuditAction, audited, snapshot
from backoffice.errors import MessageNotWaiting
from backoffice.models import AuditEntry, Note, NoteSubject
from backoffice.roles import Right
from backoffice.staff import Staff
from core.errors import ApiError
from core.formats import money
from core.text import isolated
from customers.phones import masked, normalize_phone
from funding.cash import check_cash_code, send_cash_code, take_cash
from funding.models import TopUp
from links.models import PaymentLink
from links.services import LinkDraft, create_link
from merchants.callers import Caller
from merchants.models import Merchant
from merchants.standing import refuse_status
from messages import sms
from messages.models import Channel, Message
from messages.planning import plan_message
from messages.resending import resend_message
from payments.emails import plan_receipt_again
from payments.pay_requests import Recipient, count_request

LINK_KIND = "payment_link"
LINK_SENT = "send payment link"  # in the audit trail
LINK_DAYS = timedelta(days=7)
OF_CASH = ("status", "amount_received", "taken_by")


def send_receipt(*, staff: Staff, payment_id: str, recipient: str, now: datetime) -> None:
    """Send the receipt of a completed payment, even if it was sent before.

    Raises Forbidden, ActionLimitReached, PaymentNotFound, PaymentNotCompleted.
    """
    action = AuditAction("send receipt", Right.RECEIPT, "payment", payment_id, limited=True)
    with audited(staff=staff, action=action, now=now) as record:
        plan_receipt_again(payment_id=payment_id, recipient=recipient, now=now)
        record.after = {"recipient": masked_address(recipient)}


def masked_address(address: str) -> str:
    """Return an e-mail address as it may be displayed: m•••@example.com."""
    name, _, host = address.partition("@")
    return f"{name[:1]}•••@{host}" if host else ""


def send_message_again(*, message_id: str, now: datetime) -> Message:
    """Resend a message. Raises MessageNotWaiting."""
    if not resend_message(message_id=message_id, now=now):
        raise MessageNotWaiting
    return Message.objects.get(pk=message_id)


def write_note(
    *, staff: Staff, subject_type: NoteSubject, subject_id: str, text: str, now: datetime
) -> Note:
    """Write a note for other staff. It never changes; a correction is another note."""
    action = AuditAction("note", Right.NOTE, subject_type, subject_id)
    with audited(staff=staff, action=action, now=now) as record:
        note = Note.objects.create(
            subject_type=subject_type,
            subject_id=subject_id,
            text=text,
            author_id=staff.user_id,
            created_at=now,
        )
        record.after = {"note": note.pk}
    return note


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
    action = AuditAction(LINK_SENT, Right.LINK, "merchant", merchant_id, limited=True)
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
            expires_at=now + LINK_DAYS,
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
    sent = AuditEntry.objects.filter(at=link.created_at, subject_id=link.merchant_id, act=LINK_SENT)
    return next((entry for entry in sent if entry.after.get("id") == link.pk), None)


def _plan(link: PaymentLink, channel: Channel, address: str, now: datetime) -> None:
    name = " ".join(link.merchant.name.split())
    by_mail = channel == Channel.EMAIL
    plan_message(
        channel=channel,
        kind=LINK_KIND,
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


def text_cash_code(*, staff: Staff, top_up_id: str, now: datetime) -> TopUp:
    """Text the customer the code that confirms the cash. Raises as `send_cash_code`, and Forbidden.

    The audit entry is written first: the text must not leave from within its transaction.
    """
    action = AuditAction("send cash code", Right.TAKE_CASH, "topup", top_up_id)
    with audited(staff=staff, action=action, now=now):
        TopUp.objects.one(top_up_id)
    return send_cash_code(top_up_id=top_up_id, agent=staff.actor, address=staff.address, now=now)


def confirm_cash(*, staff: Staff, top_up_id: str, code: str, now: datetime) -> TopUp:
    """Credit the cash with the customer's code. Raises Forbidden, and the errors of a wrong code.

    The attempt is counted before the transaction of the credit, whose rollback would undo the
    count.
    """
    refusal = _refusal_of_code(top_up_id, code, now) if staff.may(Right.TAKE_CASH) else None
    action = AuditAction("take cash", Right.TAKE_CASH, "topup", top_up_id)
    with audited(staff=staff, action=action, now=now) as record:
        if refusal is not None:
            raise refusal
        record.before = snapshot(TopUp.objects.one(top_up_id), *OF_CASH)
        top_up = take_cash(top_up_id=top_up_id, agent=staff.actor, now=now)
        record.after = snapshot(top_up, *OF_CASH)
    return top_up


def _refusal_of_code(top_up_id: str, code: str, now: datetime) -> ApiError | None:
    try:
        check_cash_code(top_up_id=top_up_id, code=code, now=now)
    except ApiError as error:
        return error
    return None
