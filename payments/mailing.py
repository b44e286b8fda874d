"""Write and send the mails that are due."""

import logging
from datetime import datetime

from django.conf import settings
from django.core.mail import EmailMultiAlternatives, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.template.loader import render_to_string

from core.money import format_amount
from payments.emails import claim_due, due_emails
from payments.models import EmailKind, EmailStatus, Payment, PaymentEmail
from payments.statuses import PAYABLE, PaymentStatus

logger = logging.getLogger(__name__)

SUBJECTS = {
    EmailKind.INVOICE: "Invoice from {merchant}: {amount}",
    EmailKind.REMINDER: "Reminder: {amount} to {merchant} is due on {due_date}",
    EmailKind.DUE: "Due today: {amount} to {merchant}",
    EmailKind.RECEIPT: "Receipt: {amount} paid to {merchant}",
}


def send_due_emails(*, now: datetime) -> int:
    """Send the mails that are due and still needed; return how many went out.

    While no mail server answers they wait, untouched.
    """
    if not due_emails(now).exists():
        return 0
    try:
        with get_connection() as server:
            return _send_all(server, now)
    except OSError:
        logger.warning("mail server not reached", exc_info=True)
        return 0


def _send_all(server: BaseEmailBackend, now: datetime) -> int:
    sent = 0
    for email in claim_due(now=now):
        outcome = _send(email, server, now)
        sent += outcome == EmailStatus.SENT
        PaymentEmail.objects.filter(pk=email.pk).update(
            status=outcome, sent_at=now if outcome == EmailStatus.SENT else None
        )
        if outcome == EmailStatus.FAILED:
            break  # the connection may be of no more use: the rest waits for the next turn
    return sent


def _send(email: PaymentEmail, server: BaseEmailBackend, now: datetime) -> EmailStatus:
    if not _is_needed(email, now):
        return EmailStatus.NOT_NEEDED
    try:
        server.send_messages([_message(email)])
    except OSError:  # perhaps it was taken all the same: it never goes out twice
        logger.exception("mail not sent", extra={"payment_id": email.payment_id})
        return EmailStatus.FAILED
    return EmailStatus.SENT


def _is_needed(email: PaymentEmail, now: datetime) -> bool:
    status = email.payment.status_at(now)
    if email.kind == EmailKind.RECEIPT:
        return status == PaymentStatus.COMPLETED
    return status in PAYABLE


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
        "receipt_url": f"{settings.CHECKOUT_URL}/receipts/{payment.id}",
        "service_name": settings.SERVICE_NAME,
    }
