"""Payments: found in seconds, understood at a glance, corrected by named actions."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.http import HttpRequest

from backoffice import formats
from backoffice.admin.office import OfficeAdmin
from backoffice.admin.payment_actions import CANCEL, RECEIPT, REFUND
from backoffice.admin.submission import NOTE
from backoffice.admin.webhook_actions import RESEND_PAYMENT
from backoffice.page_parts import Section, SupportAnswer, Table, TimelineEntry, facts
from backoffice.payment_answer import answer_of, remedy_of
from backoffice.resource.days import DayFilter, FailedFilter, OutcomeFilter, PaidFilter
from backoffice.resource.filters import (
    ModeFilter,
    OfficeFilter,
    Rows,
    choice_filter,
    link_filter,
    status_filter,
)
from backoffice.resource.list_filters import (
    ORDERS,
    ORDERS_OF_MERCHANT,
    ORDERS_OF_OTHERS,
    MerchantFilter,
    SortFilter,
)
from backoffice.resource.resource import Related
from backoffice.resource.shown import (
    Amount,
    Badge,
    Code,
    Field,
    Fieldset,
    Id,
    Instant,
    Reference,
)
from backoffice.resource.usual_fields import AMOUNT, CREATED, CUSTOMER, MERCHANT, MODE, STATUS_NOW
from backoffice.services.money import with_refunds_asked
from backoffice.services.support import masked_address
from backoffice.timeline import timeline_of
from core.clock import request_now
from core.money import share_of
from payments.models import Payment
from payments.modes import PaymentMode
from payments.numbers import number_of
from payments.statuses import EXPIRABLE, PaymentStatus
from refunds.models import Refund

MOST_ITEMS = 100
PAID_THERE = Related(
    Payment,
    "static_payment",
    "Payments at this counter",
    filter_name="counter",
    order=("-created_at", "-id"),  # as its index
)
WEEK = timedelta(days=7)


def _about(payment: Payment) -> str:
    names = (payment.reference, payment.order_id, payment.invoice_number, payment.description)
    return next((name for name in names if name), "")


def _error(payment: Payment) -> str:
    return f"{payment.error_code}: {payment.error_message}" if payment.error_code else ""


def _expires(payment: Payment) -> str:
    """Say until when it can be paid; empty if it ended in another way."""
    if payment.status not in {*EXPIRABLE, PaymentStatus.EXPIRED}:
        return ""
    return formats.moment(payment.expires_at) if payment.expires_at else "never"


def _receipt_number(payment: Payment) -> str:
    return number_of(payment.id) if payment.status == PaymentStatus.COMPLETED else ""


def _fee_refunded(payment: Payment) -> int | None:
    """The part of the fee returned with refunds so far, each of which returns its share."""
    if payment.fee is None:
        return None
    return share_of(payment.fee, payment.amount_refunded, payment.sale_amount)


def _tax(payment: Payment) -> int | None:
    """The tax that the items name, as receipts say it; None if they name none."""
    return sum(item.get("tax") or 0 for item in payment.line_items or []) or None


REFUND_STATUS = Badge(
    "Refund", lambda payment: payment.refund_status if payment.amount_refunded else ""
)
ABOUT = Field("About", _about, most=60)
ID, PAID = Id("Payment"), Instant("Paid", "completed_at")
TAX = Amount("Tax included", _tax)
FEE, NET = Amount("Fee", "fee"), Amount("Net before refunds", "net")
REFUNDED = Amount("Refunded", "amount_refunded", shown=lambda payment: payment.amount_refunded)
FEE_REFUNDED = Amount("Fee refunded", _fee_refunded, shown=REFUNDED.shown)
RECEIPT_NUMBER = Field("Receipt number", _receipt_number)
TRANSACTION, KIND = Code("Transaction", "transaction_id"), Field("Kind", "get_payment_mode_display")
DESCRIPTION, REFERENCE = Field("Description", "description"), Field("Reference", "reference")
ORDER, INVOICE = Field("Order", "order_id"), Field("Invoice", "invoice_number")
REMEDY = Field("What can be done", lambda payment: remedy_of(payment, request_now()))
DUE, LINK = Field("Due", "due_date"), Reference("Link", "link_id")


class InvoiceFilter(OfficeFilter):
    """Invoices that can still be paid, using the index of when payments expire."""

    title = "invoices"
    parameter_name = "invoices"
    options = (("open", "open"), ("week", "open, due within 7 days"))

    def narrowed(self, rows: Rows, value: str) -> Rows:
        now, open_ones = request_now(), {"status__in": sorted(EXPIRABLE)}
        invoices = rows.filter(payment_mode=PaymentMode.INVOICE_PAY, **open_ones)
        found = invoices.filter(expires_at__gt=now)
        return found.filter(expires_at__lt=now + WEEK) if value == "week" else found


class PaymentAdmin(OfficeAdmin):
    """Read-only, like all money: amounts and statuses are never typed in."""

    model = Payment
    list_select_related = ("merchant", "customer", "inquiry")
    list_display = (CREATED, AMOUNT, STATUS_NOW, MERCHANT, CUSTOMER, ABOUT, REFUND_STATUS, MODE, ID)
    heading_format = "Payment of {amount}"
    summed = "amount"
    summary = (CREATED, AMOUNT, STATUS_NOW, MERCHANT, CUSTOMER, ABOUT, REFUND_STATUS, ID, MODE)
    export_fields = (
        CREATED,
        PAID,
        Amount("Gross", "amount"),
        FEE,
        NET,
        REFUNDED,
        FEE_REFUNDED,
        STATUS_NOW,
        MERCHANT,
        Field("Merchant id", "merchant_id"),
        CUSTOMER,
        RECEIPT_NUMBER,
        TRANSACTION,
        REFERENCE,
        ORDER,
        INVOICE,
        DUE,
        DESCRIPTION,
        LINK,
        KIND,
        MODE,
        ID,
    )
    list_filter = (
        DayFilter,
        PaidFilter,
        FailedFilter,
        OutcomeFilter,
        status_filter(PaymentStatus),
        choice_filter("kind", "payment_mode", PaymentMode.choices),
        InvoiceFilter,
        ModeFilter,
        MerchantFilter,
        SortFilter,
        link_filter("currency", "currency"),
        link_filter("customer", "customer", "customer_id"),
        link_filter("payment link", "link", "link_id"),
        link_filter("counter", "counter", "static_payment_id"),
    )
    indexed = frozenset({"merchant", "customer", "link", "counter"})
    row_actions = (REFUND, CANCEL, RESEND_PAYMENT, RECEIPT, NOTE)
    page = (
        Fieldset(
            "Money",
            AMOUNT,
            TAX,
            STATUS_NOW,
            MODE,
            FEE,
            NET,
            REFUNDED,
            FEE_REFUNDED,
            Amount(
                "Left to refund",
                lambda payment: max(payment.amount_refundable - payment.refund_asked, 0),
                shown=lambda payment: payment.status == PaymentStatus.COMPLETED,
            ),
            Field("Error", _error),
        ),
        Fieldset(
            "Who",
            MERCHANT,
            CUSTOMER,
            Field("Invoice to", lambda payment: masked_address(payment.customer_email or "")),
        ),
        Fieldset(
            "References and times",
            ID,
            RECEIPT_NUMBER,
            TRANSACTION,
            KIND,
            DESCRIPTION,
            Field("Description agreed to", lambda payment: payment.paid_description or ""),
            REFERENCE,
            ORDER,
            INVOICE,
            DUE,
            LINK,
            Reference("Counter", "static_payment_id"),
            CREATED,
            Field("Expires", _expires),
            PAID,
        ),
    )
    related = (Related(Refund, "payment"),)

    def columns(self) -> dict[str, Field]:
        return super().columns() | {REMEDY.name: REMEDY}

    def usual_columns(self, request: HttpRequest) -> Sequence[Field]:
        """Show due dates for open invoices, and what can be done for one customer's payments."""
        shown = super().usual_columns(request)
        if "customer" in request.GET:
            return [REMEDY if field is CUSTOMER else field for field in shown]
        return (*shown[:3], DUE, *shown[3:]) if "invoices" in request.GET else shown

    def get_queryset(self, request: HttpRequest) -> Any:
        rows = super().get_queryset(request)
        match = request.resolver_match
        is_of_one = match is not None and "object_id" in match.kwargs
        is_shown = is_of_one or REMEDY in self.get_list_display(request)
        return with_refunds_asked(rows, request_now()) if is_shown else rows

    def get_ordering(self, request: HttpRequest) -> Sequence[Any]:
        """Return the order chosen in the URL; by default the newest first."""
        orders: Mapping[str, Sequence[Any]] = ORDERS
        if request.GET.get("merchant"):
            orders = ORDERS_OF_MERCHANT
        elif not self.indexed.isdisjoint(request.GET):
            orders = ORDERS_OF_OTHERS
        return orders.get(request.GET.get("sort", ""), self.ordering)

    def heading(self, row: Payment) -> str:
        """Name a counter, which has no amount, by its merchant."""
        if row.is_counter:
            return f"Counter of {row.merchant.name}"
        return super().heading(row)

    def answer(self, row: Payment, now: datetime) -> SupportAnswer:
        return answer_of(row, now)

    def timeline(self, row: Payment) -> list[TimelineEntry]:
        return timeline_of(row)

    def sections(self, row: Payment) -> list[Section]:
        metadata = facts(*((str(name), value) for name, value in row.metadata.items()))
        return [*super().sections(row), Section("Metadata", metadata)]

    def tables(self, row: Payment) -> list[Table]:
        if row.is_counter:
            return [PAID_THERE.table(row, self)]
        items = [_items(row)] if row.line_items else []
        return [*items, *super().tables(row)]


def _items(payment: Payment) -> Table:
    currency, named = payment.currency, ["price"] + ["tax"] * (_tax(payment) is not None)
    rows = [
        (
            item["name"],
            formats.amount(item["quantity"]),
            *(formats.bare_amount(item.get(name) or 0, currency) for name in named),
        )
        for item in (payment.line_items or [])[:MOST_ITEMS]
    ]
    amounts = (formats.amount(f"{name.capitalize()}, {currency}") for name in named)
    return Table("Items", ("Item", formats.amount("Quantity"), *amounts), rows)
