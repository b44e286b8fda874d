"""E-mails about a payment: planned as rows in the same transaction, sent by a task when due."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import QuerySet

from payments.errors import PaymentNotCompleted
from payments.models import EmailKind, EmailStatus, Payment, PaymentEmail
from payments.statuses import PaymentStatus

REMINDER_BEFORE = timedelta(days=3)
SENDING_HOUR = time(9, 0)


def plan_invoice(payment: Payment, *, now: datetime) -> None:
    """Plan the mails of an invoice: now, three days before the due date, and on it."""
    if not payment.customer_email or payment.due_date is None:
        return
    zone = payment.merchant.time_zone
    plan = [
        (EmailKind.INVOICE, now),
        (EmailKind.REMINDER, _morning_of(payment.due_date - REMINDER_BEFORE, zone)),
        (EmailKind.DUE, _morning_of(payment.due_date, zone)),
    ]
    PaymentEmail.objects.bulk_create(
        PaymentEmail(payment=payment, kind=kind, recipient=payment.customer_email, due_at=due_at)
        for kind, due_at in plan
        if due_at >= now
    )


def plan_receipt(payment: Payment, *, now: datetime) -> None:
    """Plan the receipt of a completed payment, to the address of its invoice or its customer."""
    customer = payment.paying_customer
    address = payment.customer_email or customer.email
    if address:
        PaymentEmail.objects.get_or_create(
            payment=payment,
            kind=EmailKind.RECEIPT,
            recipient=address,
            defaults={"due_at": now, "language": customer.language},
        )


@transaction.atomic
def plan_receipt_again(
    *, payment_id: str, recipient: str, now: datetime, language: str = ""
) -> None:
    """Plan a receipt that a customer has requested, even to an address that had one before.

    Without `language` it is in the customer's. Raises PaymentNotFound, PaymentNotCompleted.
    """
    payment = Payment.objects.locked(payment_id)
    if payment.status != PaymentStatus.COMPLETED:
        raise PaymentNotCompleted
    language = language or payment.paying_customer.language
    PaymentEmail.objects.update_or_create(
        payment=payment,
        kind=EmailKind.RECEIPT,
        recipient=recipient,
        defaults={
            "due_at": now,
            "language": language,
            "status": EmailStatus.PLANNED,
            "sent_at": None,
        },
    )


def due_emails(now: datetime) -> QuerySet[PaymentEmail]:
    """Return the mails whose time has come, the oldest first."""
    due = PaymentEmail.objects.filter(status=EmailStatus.PLANNED, due_at__lte=now)
    return due.select_related("payment__merchant").order_by("due_at", "pk")


def claim_due_emails(*, now: datetime, limit: int = 50) -> Iterator[PaymentEmail]:
    """Claim the due mails one at a time: a crash loses at most one.

    Each is claimed once, even by concurrent workers.
    """
    for email in due_emails(now)[:limit]:
        mine = PaymentEmail.objects.filter(pk=email.pk, status=EmailStatus.PLANNED)
        if mine.update(status=EmailStatus.SENDING):
            yield email


def _morning_of(day: date, time_zone: str) -> datetime:
    return datetime.combine(day, SENDING_HOUR, tzinfo=ZoneInfo(time_zone)).astimezone(UTC)
