"""Write and send the mails that are due."""

import logging
from datetime import datetime

from django.conf import settings
from django.core.mail import EmailMultiAlternatives, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext, gettext_noop

from core.formats import day_of, moment_of, money_and_code
from payments.emails import claim_due_emails, due_emails
from payments.models import EmailKind, EmailStatus, Payment, PaymentEmail
from payments.statuses import PAYABLE, PaymentStatus

logger = logging.getLogger(__name__)

SUBJECTS = {
    EmailKind.INVOICE: gettext_noop("Invoice from %(merchant)s: %(amount)s"),
    EmailKind.REMINDER: gettext_noop("Reminder: %(amount)s to %(merchant)s is due on %(due_date)s"),
    EmailKind.DUE: gettext_noop("Due today: %(amount)s to %(merchant)s"),
    EmailKind.RECEIPT: gettext_noop("Receipt: %(amount)s paid to %(merchant)s"),
}


def send_due_emails(*, now: datetime) -> int:
    """Send the mails that are due and still needed; return how many went out.

    While no mail server answers they stay planned.
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
    for email in claim_due_emails(now=now):
        outcome = _send(email, server, now)
        sent += outcome == EmailStatus.SENT
        PaymentEmail.objects.filter(pk=email.pk).update(
            status=outcome, sent_at=now if outcome == EmailStatus.SENT else None
        )
        if outcome == EmailStatus.FAILED:
            break  # the connection may be unusable: the rest waits for the next run
    return sent


def _send(email: PaymentEmail, server: BaseEmailBackend, now: datetime) -> EmailStatus:
    if not _is_needed(email, now):
        return EmailStatus.NOT_NEEDED
    with translation.override(email.language or settings.LANGUAGE_CODE):
        message = _message(email)
    try:
        server.send_messages([message])
    except OSError:  # it may have been sent all the same: it never goes out twice
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
    return message_about(
        payment,
        template=email.kind,
        subject=gettext(SUBJECTS[EmailKind(email.kind)]) % context,
        context=context,
        recipient=email.recipient,
        reference=f"{payment.id}:{email.kind}",
    )


def message_about(
    payment: Payment,
    *,
    template: str,
    subject: str,
    context: dict[str, object],
    recipient: str,
    reference: str,
) -> EmailMultiAlternatives:
    """Write a mail as text and as HTML, in the language that is active.

    A test mail says so first, so that its receipt cannot pass for a real one.
    """
    merchant = payment.merchant
    if not payment.livemode:
        subject = gettext("[Test] %(subject)s") % {"subject": subject}
    message = EmailMultiAlternatives(
        subject=subject,
        body=render_to_string(f"emails/{template}.txt", context),
        to=[recipient],
        reply_to=[merchant.support_email] if merchant.support_email else None,
        headers={"X-Entity-Ref-ID": reference},
    )
    message.attach_alternative(render_to_string(f"emails/{template}.html", context), "text/html")
    return message


def context_of(payment: Payment) -> dict[str, object]:
    """The context of the templates: the payment, its payee and formatted amount."""
    zone = payment.merchant.time_zone
    return {
        "payment": payment,
        "merchant": " ".join(payment.merchant.name.split()),
        "amount": money_and_code(payment.sale_amount, payment.currency),
        "due_date": day_of(payment.due_date) if payment.due_date else "",
        "paid_at": moment_of(payment.completed_at, zone) if payment.completed_at else "",
        "pay_url": f"{settings.CHECKOUT_URL}{payment.hosted_url}",
        "receipt_url": f"{settings.CHECKOUT_URL}/receipts/{payment.id}",
        "service_name": settings.SERVICE_NAME,
    }
