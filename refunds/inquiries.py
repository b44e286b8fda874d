"""Inquiries: a customer reports a problem with a payment, and gets an answer or a refund.

Answers go to the contact details known from the payment, never to ones that a visitor enters.
Locks are taken in the order payment, inquiry.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from core.ids import new_id
from merchants.callers import VISITOR, Caller
from merchants.standing import refuse_ended_key
from payments.errors import PaymentNotCompleted
from payments.models import Payment
from payments.statuses import PaymentStatus
from refunds import emails, events
from refunds.errors import InquiryChanged
from refunds.inquiry_models import Inquiry
from refunds.inquiry_statuses import UNSETTLED, InquiryReason, InquiryStatus
from refunds.report_mails import plan_report_mail
from webhooks.event_types import EventType
from webhooks.outbox import Fact, emit


@dataclass(frozen=True)
class ProblemReport:
    """What a customer reports. `text` is in the customer's own words, and may be empty."""

    reason: InquiryReason
    text: str = ""


@transaction.atomic
def report_problem(*, payment_id: str, report: ProblemReport, actor: str, now: datetime) -> Inquiry:
    """Open or reopen the inquiry of a completed payment with a report, and notify the merchant.

    Anyone with the receipt may, even the merchant: a report from anyone but the customer is
    recorded as a visitor's, and leaves the reason that the customer gave. Raises PaymentNotFound,
    PaymentNotCompleted.
    """
    payment = Payment.objects.select_related("merchant").locked(payment_id)
    if payment.status != PaymentStatus.COMPLETED:
        raise PaymentNotCompleted
    customer = f"customer:{payment.customer_id}"
    if actor != customer:
        actor = VISITOR
    inquiry = Inquiry.objects.filter(payment=payment).first() or Inquiry(
        id=new_id("inq", now),
        payment=payment,
        merchant_id=payment.merchant_id,
        livemode=payment.livemode,
        created_at=now,
    )
    is_new = inquiry._state.adding
    if is_new or actor != VISITOR or not inquiry.entries.filter(actor=customer).exists():
        inquiry.reason = report.reason
    entry = inquiry.transition_to(InquiryStatus.OPEN, actor=actor, text=report.text, now=now)
    plan_report_mail(entry, payment, reason=report.reason, now=now)
    event_type = EventType.INQUIRY_CREATED if is_new else EventType.INQUIRY_UPDATED
    emit(event_type, about=inquiry, data=events.inquiry_changed(inquiry), now=now)
    return inquiry


@transaction.atomic
def answer_inquiry(
    *, caller: Caller, inquiry_id: str, text: str, now: datetime, seen_at: datetime | None = None
) -> Inquiry:
    """Answer an inquiry and notify the customer. `seen_at` is the `updated_at` that was read.

    Raises InquiryNotFound, InquiryNotOpen; InquiryChanged if it was updated since `seen_at`; and as
    `refuse_ended_key` if the key or the merchant has been stopped meanwhile.
    """
    return _end(caller, inquiry_id, InquiryStatus.ANSWERED, text, now, seen_at)


@transaction.atomic
def close_inquiry(
    *, caller: Caller, inquiry_id: str, text: str, now: datetime, seen_at: datetime | None = None
) -> Inquiry:
    """Close an inquiry without a refund, and tell the customer why.

    `seen_at` and what it raises are those of `answer_inquiry`.
    """
    return _end(caller, inquiry_id, InquiryStatus.CLOSED, text, now, seen_at)


def settle_by_refund(inquiry: Inquiry, *, actor: str, now: datetime) -> list[Fact]:
    """Settle the inquiry of a payment that is being refunded; return the facts to report.

    The payment is locked. The inquiry read with it may be stale, so it is reloaded. The customer
    hears of it through the notice of the refund.
    """
    inquiry.refresh_from_db(fields=["reason", "status", "open_since", "updated_at"])
    if inquiry.status not in UNSETTLED:
        return []
    inquiry.transition_to(InquiryStatus.REFUNDED, actor=actor, now=now)
    return [Fact(EventType.INQUIRY_UPDATED, inquiry, events.inquiry_changed(inquiry))]


def _end(
    caller: Caller,
    inquiry_id: str,
    status: InquiryStatus,
    text: str,
    now: datetime,
    seen_at: datetime | None,
) -> Inquiry:
    payment_id = Inquiry.objects.one_of(caller, inquiry_id).payment_id
    payment = Payment.objects.select_related("merchant", "customer").locked(payment_id)
    inquiry = Inquiry.objects.select_related("payment").locked(inquiry_id)
    refuse_ended_key(caller)
    if seen_at not in (None, inquiry.updated_at):
        raise InquiryChanged
    answer = inquiry.transition_to(status, actor=caller.actor, text=text, now=now)
    emails.plan_answer(answer, payment, now=now)
    emit(EventType.INQUIRY_UPDATED, about=inquiry, data=events.inquiry_changed(inquiry), now=now)
    return inquiry
