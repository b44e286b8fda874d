"""E-mail a merchant what a customer reports: a shop without a server gets no webhooks.

The e-mail has none of the reporter's words, but a link to them: anyone with the receipt may have
written them, in our name to the owner of a merchant, and no erasure reaches a mailbox.
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import translation

from core.attempt_limits import AttemptLimit, count_within_all
from merchants.callers import VISITOR
from merchants.owner_notices import has_unproven_email
from messages.content import Content
from messages.models import Channel, Message
from messages.planning import plan_message
from payments.emails import context_of
from payments.models import Payment
from refunds.inquiry_models import Inquiry, InquiryEntry
from refunds.inquiry_statuses import InquiryReason

KIND = "problem_report"
# Per merchant and mode, and for customers who paid apart from others who have a receipt: strangers
# do not keep what a customer reports from the merchant, nor tests what is live.
REPORTS_MAILED = AttemptLimit("report-mail", 20, timedelta(days=1))


def plan_report_mail(
    report: InquiryEntry, payment: Payment, *, reason: InquiryReason, now: datetime
) -> None:
    """Plan the e-mail about a report, in its transaction; none beyond the daily limit.

    It goes to the address in force, if that is known to be the merchant's. It is written here, as
    the inquiry has the reason of its newest report only. The payment is read with its merchant.
    """
    merchant = payment.merchant
    by = "visitor" if report.actor == VISITOR else "customer"
    counted = f"{merchant.id} {payment.livemode} {by}"
    if _is_of_bystander(payment) or not count_within_all([(REPORTS_MAILED, counted)], now=now):
        return
    content = _content(payment, report, reason=reason.label.lower())
    plan_message(
        channel=Channel.EMAIL,
        kind=KIND,
        recipient=merchant.email,
        about=report.inquiry_id,
        merchant_id=merchant.id,
        livemode=payment.livemode,
        subject=content.subject,
        text=content.text,
        key=f"{report.inquiry_id}:{KIND}:{report.pk}",
        repeatable=True,
        now=now,
    )


def is_told_by_mail(inquiry: Inquiry) -> bool:
    """Return whether an e-mail to the merchant was planned for the report just made."""
    mails = Message.objects.filter(about=inquiry.pk, kind=KIND)
    return mails.filter(created_at=inquiry.updated_at).exists()


def write(message: Message, now: datetime) -> Content | None:
    """Return the e-mail as it was planned; None if the inquiry is no longer open."""
    open_inquiries = Inquiry.objects.open().select_related("payment__merchant")
    inquiry = open_inquiries.filter(pk=message.about).first()
    if inquiry is None:
        return None
    if not message.text:  # an older version planned it: which reason its report had is not known
        report = inquiry.entries.get(pk=message.key.rpartition(":")[2])
        return _content(inquiry.payment, report, reason="")
    return Content(message.text, message.subject)


def _content(payment: Payment, report: InquiryEntry, *, reason: str) -> Content:
    """Write the e-mail in our language, not in that of the page on which it is reported."""
    with translation.override(settings.LANGUAGE_CODE):
        context = context_of(payment) | {
            "inquiry_id": report.inquiry_id,
            "reason": reason,
            "is_customer": report.actor != VISITOR,
            "support_email": settings.SUPPORT_EMAIL,
            "most": REPORTS_MAILED.times,
        }
        subject = f"{settings.SERVICE_NAME}: a problem with a payment of {context['amount']}"
        return Content(
            subject=subject if payment.livemode else f"[Test] {subject}",
            text=render_to_string("refunds/problem_report.txt", context),
        )


def _is_of_bystander(payment: Payment) -> bool:
    """Return whether the address may be a bystander's, or no e-mail of a test would reach it."""
    if payment.livemode:
        return has_unproven_email(payment.merchant)
    return payment.merchant.email_confirmed_at is None
