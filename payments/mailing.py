"""Write and send the mails that are due."""

import logging
from datetime import datetime

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string

from core.money import format_amount
from payments.emails import claim_due
from payments.models import EmailKind, EmailStatus, Payment, PaymentEmail
from payments.statuses import PaymentStatus

logger = logging.getLogger(__name__)

SUBJECTS = {
    EmailKind.INVOICE: "Invoice from {merchant}: {amount}",
    EmailKind.REMINDER: "Reminder: {amount} to {merchant} is due on {due_date}",
    EmailKind.DUE: "Due today: {amount} to {merchant}",
    EmailKind.RECEIPT: "Receipt: {amount} paid to {merchant}",
}


def send_due_emails(*, now: datetime) -> int:
    """Send the mails that are due and still needed; return how many went out."""
    return sum(_send(email, now) for email in claim_due(now=now))


def _send(email: PaymentEmail, now: datetime) -> bool:
    if not _is_needed(email, now):
        return _record(email, EmailStatus.NOT_NEEDED)
    try:
        _message(email).send()
    except OSError:
        logger.exception("mail not sent", extra={"payment_id": email.payment_id})
        return _record(email, EmailStatus.FAILED)
    return _record(email, EmailStatus.SENT, sent_at=now)


def _is_needed(email: PaymentEmail, now: datetime) -> bool:
    status = email.payment.status_at(now)
    if email.kind == EmailKind.RECEIPT:
        return status == PaymentStatus.COMPLETED
    return status in (
        PaymentStatus.CREATED,
        PaymentStatus.PENDING,
        PaymentStatus.REQUIRES_ACTION,
    )


def _record(email: PaymentEmail, status: EmailStatus, sent_at: datetime | None = None) -> bool:
    PaymentEmail.objects.filter(pk=email.pk).update(status=status, sent_at=sent_at)
    return status == EmailStatus.SENT


def _message(email: PaymentEmail) -> EmailMultiAlternatives:
    payment = email.payment
    context = context_of(payment)
    name = f"emails/{email.kind}"
    message = EmailMultiAlternatives(
        subject=SUBJECTS[EmailKind(email.kind)].format(**context),
        body=render_to_string(f"{name}.txt", context),
        to=[email.recipient],
        reply_to=[payment.merchant.support_email] if payment.merchant.support_email else None,
        headers={"X-Entity-Ref-ID": f"{payment.id}:{email.kind}"},
    )
    message.attach_alternative(render_to_string(f"{name}.html", context), "text/html")
    return message


def context_of(payment: Payment) -> dict[str, object]:
    """What the templates know: the payment, its payee and amount as people read them."""
    return {
        "payment": payment,
        "merchant": " ".join(payment.merchant.name.split()),
        "amount": format_amount(payment.amount or 0, payment.currency),
        "due_date": payment.due_date,
        "pay_url": f"{settings.CHECKOUT_URL}{payment.hosted_url}",
        "service_name": settings.SERVICE_NAME,
    }
