"""Refunds with their payments, and the action to give up one that waits for money."""

from datetime import datetime

from backoffice import formats
from backoffice.actions import Action
from backoffice.admin.office import OfficeAdmin
from backoffice.page_parts import SupportAnswer
from backoffice.payment_answer import time_left
from backoffice.request_answer import approval_words
from backoffice.resource.days import DayFilter
from backoffice.resource.filters import ModeFilter, choice_filter, link_filter
from backoffice.resource.list_filters import MerchantFilter
from backoffice.resource.shown import Amount, Code, Field, Id, Instant, Reference
from backoffice.resource.usual_fields import AMOUNT, BY, CREATED, MERCHANT, MODE, STATUS
from backoffice.roles import Right
from refunds.models import Refund
from refunds.services import fail_refund
from refunds.statuses import RefundStatus

GIVE_UP = Action(
    title="Give up",
    right=Right.GIVE_UP,
    service=fail_refund,
    message="The refund has been abandoned. The merchant is notified.",
    audited_as="give up refund",
    watches=("status",),
    about="The refund fails for good; its amount can be refunded again.",
    icon="block",
    danger=True,
    available=lambda refund, now: refund.status == RefundStatus.PENDING,
)
REASON = Field("Reason", "reason", most=120)


def _to(refund: Refund) -> str:
    """Say whose the money is: it goes back to the wallet that paid, and to no other."""
    payer = refund.payment.customer
    return f" to the wallet that paid, of {payer.masked_phone}" if payer else ""


class RefundAdmin(OfficeAdmin):
    model = Refund
    heading_format = "Refund of {amount}"
    summed = "amount"
    list_select_related = ("merchant",)
    list_display = (
        CREATED,
        AMOUNT,
        STATUS,
        MERCHANT,
        Reference("Payment", "payment_id"),
        REASON,
        BY,
        MODE,
        Id("Refund"),
    )
    list_filter = (
        DayFilter,
        choice_filter("status", "status", RefundStatus.choices),
        ModeFilter,
        MerchantFilter,
        link_filter("payment", "payment", "payment_id"),
    )
    summary = (CREATED, AMOUNT, STATUS, MERCHANT, REASON, BY, MODE, Id("Refund"))
    indexed = frozenset({"merchant"})
    row_actions = (GIVE_UP,)
    details = (
        Amount("Fee refunded", "fee_returned"),
        Code("Transaction", "transaction_id"),
        Field("Failed because", "failure_reason"),
        Instant("Refunded at", "succeeded_at"),
        Instant("Customer notified", "notified_at"),
    )
    export_fields = (*list_display, *details)

    def answer(self, row: Refund, now: datetime) -> SupportAnswer:
        words = {
            RefundStatus.PENDING: "It waits: the merchant's balance does not cover it."
            f" {time_left(row, now)}",
            RefundStatus.SUCCEEDED: f"Refunded {formats.clock(row.succeeded_at, now)}{_to(row)}.",
            RefundStatus.FAILED: f"Failed {formats.clock(row.failed_at, now)}:"
            f" {row.failure_reason.rstrip('.')}. The amount can be refunded again.",
        }
        sentences = [words[RefundStatus(row.status)], *approval_words(row, now)]
        return SupportAnswer(sentences, formats.tone(row.status))
