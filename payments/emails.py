"""E-mails about a payment: planned in the transaction of the fact, written when due."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction
from django.template.loader import render_to_string
from django.utils.translation import gettext, gettext_noop

from core.attempt_limits import AttemptLimit, count_or_refuse, forget_attempts
from core.formats import day_of, moment_and_offset_of, money, money_and_code
from core.mailboxes import mailbox_of
from core.text import isolated
from merchants.evidence import seller_at
from merchants.statuses import MerchantStatus
from messages.content import Content
from messages.models import Channel, Message, MessageStatus
from messages.planning import plan_message
from payments.errors import PaymentNotCompleted
from payments.models import Payment
from payments.numbers import number_of
from payments.statuses import PAYABLE, PaymentStatus

REMINDER_BEFORE = timedelta(days=3)
SENDING_HOUR = time(9, 0)
DAY = timedelta(days=1)
PER_RECIPIENT = AttemptLimit("invoice-recipient", 20, DAY)
INVOICE, REMINDER, DUE, RECEIPT = "invoice", "reminder", "due", "receipt"
ASKS_FOR_MONEY = frozenset({INVOICE, REMINDER, DUE})
SUBJECTS = {
    INVOICE: gettext_noop("Invoice from %(merchant)s: %(amount)s"),
    REMINDER: gettext_noop("Reminder: %(amount)s to %(merchant)s is due on %(due_date)s"),
    DUE: gettext_noop("Due today: %(amount)s to %(merchant)s"),
    RECEIPT: gettext_noop("Receipt: %(amount)s paid to %(merchant)s"),
}


def plan_invoice(payment: Payment, *, now: datetime) -> None:
    """Plan the e-mails of an invoice: now, three days before the due date, and on it.

    Raises RateLimited: invoices carry our name to any address that a merchant enters.
    """
    if not payment.customer_email or payment.due_date is None:
        return
    if payment.livemode:
        _count_invoice(payment.merchant_id, payment.customer_email, now)
    zone = payment.merchant.time_zone
    plan = {
        INVOICE: now,
        REMINDER: _morning_of(payment.due_date - REMINDER_BEFORE, zone),
        DUE: _morning_of(payment.due_date, zone),
    }
    for kind, due_at in plan.items():
        if due_at >= now:
            _plan(payment, kind, payment.customer_email, "", due_at=due_at, now=now)


def reset_invoice_count(merchant_id: str) -> None:
    """Begin a new count of a merchant's live invoices, which a thief of its key has used up."""
    forget_attempts(_per_merchant(), merchant_id)


def _count_invoice(merchant_id: str, address: str, now: datetime) -> None:
    recipient = mailbox_of(f"{merchant_id} {address}")  # one digest: the key of a limit is short
    count_or_refuse([(_per_merchant(), merchant_id), (PER_RECIPIENT, recipient)], now=now)


def _per_merchant() -> AttemptLimit:
    return AttemptLimit("invoice-merchant", settings.INVOICES_PER_MERCHANT, DAY)


def plan_receipt(payment: Payment, *, now: datetime) -> None:
    """Plan the receipt of a completed payment, to its invoice address and to its customer.

    The merchant chose the invoice address: on its own it would hide a thief's payment from the
    owner of the wallet. A test payment gets one receipt, as its e-mails go to the merchant anyway.
    """
    customer = payment.paying_customer
    addresses = {each.lower(): each for each in (payment.customer_email, customer.email) if each}
    for address in list(addresses.values())[: None if payment.livemode else 1]:
        _plan(payment, RECEIPT, address, customer.language, due_at=now, now=now)


@transaction.atomic
def plan_receipt_again(
    *, payment_id: str, recipient: str, now: datetime, language: str = ""
) -> None:
    """Plan a receipt at a customer's request, even to an address that already got one.

    `language` defaults to the customer's. A receipt still waiting to be sent is not duplicated.
    Raises PaymentNotFound, PaymentNotCompleted.
    """
    payment = Payment.objects.locked(payment_id)
    if payment.status != PaymentStatus.COMPLETED:
        raise PaymentNotCompleted
    language = language or payment.paying_customer.language
    receipts = Message.objects.filter(about=payment.id, kind=RECEIPT, recipient=recipient)
    left = receipts.exclude(status=MessageStatus.PLANNED).count()
    _plan(payment, RECEIPT, recipient, language, due_at=now, now=now, number=left)


def write(message: Message, now: datetime) -> Content | None:
    """Write an e-mail that is due; None if the payment was paid or has ended in the meantime.

    Mails are planned days ahead, so none asks for money for a merchant suspended since then.
    """
    payment = Payment.objects.select_related("merchant").get(pk=message.about)
    if not _is_needed(payment, message.kind, now):
        return None
    context = context_of(payment)
    if payment.completed_at:
        seller = seller_at(payment.merchant, payment.completed_at)
        context |= {"seller_address": seller.address, "tax_id": seller.tax_id}
    subject = gettext(SUBJECTS[message.kind]) % context
    return content_about(payment, template=message.kind, subject=subject, context=context)


def _is_needed(payment: Payment, kind: str, now: datetime) -> bool:
    status = payment.status_at(now)
    if kind == RECEIPT:
        return status == PaymentStatus.COMPLETED
    return status in PAYABLE and payment.merchant.status != MerchantStatus.SUSPENDED


def content_about(
    payment: Payment, *, template: str, subject: str, context: dict[str, object]
) -> Content:
    """Write an e-mail as text and as HTML, in the active language.

    The subject of a test payment starts by saying so: its receipt must not pass for a real one.
    """
    if not payment.livemode:
        subject = gettext("[Test] %(subject)s") % {"subject": subject}
    return Content(
        subject=subject,
        text=render_to_string(f"emails/{template}.txt", context),
        html=render_to_string(f"emails/{template}.html", context),
        reply_to=payment.merchant.support_email or "",
    )


def context_of(payment: Payment) -> dict[str, object]:
    """Return the template context: the payment, its payee, and its amounts formatted."""
    zone = payment.merchant.time_zone
    return {
        "payment": payment,
        "merchant": isolated(" ".join(payment.merchant.name.split())),
        "amount": money_and_code(payment.sale_amount, payment.currency),
        "due_date": day_of(payment.due_date) if payment.due_date else "",
        "number": number_of(payment.id),
        "tip": money(payment.tip, payment.currency) if payment.tip else "",
        "refunded": money(payment.amount_refunded, payment.currency),
        "paid_at": moment_and_offset_of(payment.completed_at, zone) if payment.completed_at else "",
        "pay_url": payment.url,
        "receipt_url": f"{settings.CHECKOUT_URL}/receipts/{payment.id}",
        "service_name": settings.SERVICE_NAME,
    }


def _plan(
    payment: Payment,
    kind: str,
    to: str,
    language: str,
    *,
    due_at: datetime,
    now: datetime,
    number: int = 0,
) -> None:
    plan_message(
        channel=Channel.EMAIL,
        kind=kind,
        recipient=to,
        about=payment.id,
        merchant_id=payment.merchant_id,
        livemode=payment.livemode,
        language=language,
        key=f"{payment.id}:{kind}:{to}:{number}",
        due_at=due_at,
        now=now,
    )


def _morning_of(day: date, time_zone: str) -> datetime:
    return datetime.combine(day, SENDING_HOUR, tzinfo=ZoneInfo(time_zone)).astimezone(UTC)
