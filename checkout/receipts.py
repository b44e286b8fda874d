"""The receipt of a payment: always as things stand now, money that went back included."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from core import attempt_limits
from payments.emails import plan_receipt_again
from payments.models import Payment
from payments.statuses import PaymentStatus
from refunds.models import Refund
from refunds.statuses import RefundStatus

MAILS = attempt_limits.Limit("receipt-mail", 5, timedelta(days=1))


@dataclass(frozen=True)
class State:
    """What a receipt proves at this moment, and how good or bad that looks."""

    words: str
    look: str = ""


def state_of(payment: Payment) -> State:
    """Return what the receipt says at its top."""
    if payment.status != PaymentStatus.COMPLETED:
        return State(_("Not paid"), "is-bad")
    states = {
        "none": State(_("Paid")),
        "partial": State(_("Paid, partly paid back"), "is-wait"),
        "full": State(_("Paid back in full"), "is-wait"),
    }
    return states[payment.refund_status]


def refunds_of(payment: Payment) -> list[Refund]:
    """Return what went back, or is on its way, oldest first."""
    made = Refund.objects.filter(payment=payment).exclude(status=RefundStatus.FAILED)
    return list(made.order_by("created_at", "id"))


def mail_receipt(*, payment: Payment, email: str, language: str, now: datetime) -> None:
    """Have the receipt sent to an address; a few a day, since the page is open to many.

    Raises RateLimited.
    """
    attempt_limits.take(MAILS, payment.id, now=now)
    plan_receipt_again(payment_id=payment.id, recipient=email, language=language, now=now)
