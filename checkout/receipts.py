"""The receipt of a payment: always current, refunds included."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from core import attempt_limits
from payments.emails import plan_receipt_again
from payments.models import Payment
from payments.statuses import PaymentStatus
from refunds.models import Refund
from refunds.statuses import RefundStatus

MAILS = attempt_limits.AttemptLimit("receipt-mail", 5, timedelta(days=1))


@dataclass(frozen=True)
class ReceiptState:
    """The state that a receipt shows now, and its style."""

    words: str
    look: str = ""


def receipt_state_of(payment: Payment) -> ReceiptState:
    """Return what the receipt says at its top."""
    if payment.status != PaymentStatus.COMPLETED:
        return ReceiptState(_("Not paid"), "is-bad")
    states = {
        "none": ReceiptState(_("Paid")),
        "partial": ReceiptState(_("Paid, partly refunded"), "is-back"),
        "full": ReceiptState(_("Refunded in full"), "is-back"),
    }
    return states[payment.refund_status]


def refunds_of(payment: Payment) -> list[Refund]:
    """Return the refunds, pending ones included, oldest first."""
    made = Refund.objects.filter(payment=payment).exclude(status=RefundStatus.FAILED)
    return list(made.order_by("created_at", "id"))


def mail_receipt(*, payment: Payment, email: str, language: str, now: datetime) -> None:
    """Have the receipt sent to an address; limited per day, since the page is public.

    Raises RateLimited.
    """
    attempt_limits.count_attempt(MAILS, payment.id, now=now)
    plan_receipt_again(payment_id=payment.id, recipient=email, language=language, now=now)
