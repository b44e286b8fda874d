"""Payments: found in seconds, understood at a glance, put right by named acts."""

from datetime import datetime
from typing import Any, ClassVar

from django.urls import reverse

from backoffice import formats
from backoffice.acts import Act
from backoffice.admin.filters import ModeFilter, choice_filter, day_filter, link_filter
from backoffice.admin.noting import note_act
from backoffice.admin.office import OfficeAdmin
from backoffice.admin.payment_acts import CANCEL, RECEIPT, REFUND
from backoffice.admin.webhook_acts import RESEND_PAYMENT
from backoffice.models import NoteSubject
from backoffice.page_parts import Answer, Moment, Section, Table, facts
from backoffice.payment_answer import answer_of
from backoffice.resource.columns import (
    MERCHANT,
    MODE,
    Column,
    amount_column,
    id_column,
    instant_column,
)
from backoffice.roles import Right
from backoffice.services.payments import masked_address
from backoffice.timeline import actor_words, timeline_of
from core.clock import request_now
from payments.models import Payment
from payments.modes import PaymentMode
from payments.statuses import PaymentStatus
from refunds.models import Refund

REFUNDS_SHOWN = 20


def _phone(payment: Payment) -> str:
    return payment.customer.masked_phone if payment.customer else "—"


def _about(payment: Payment) -> str:
    names = (payment.reference, payment.order_id, payment.invoice_number, payment.description)
    return next((name for name in names if name), "—")[:60]


STATUS = Column(
    "Status",
    show=lambda payment: formats.badge(payment.status_at(request_now())),
    plain=lambda payment: payment.status_at(request_now()).value,
)
REFUNDED = Column(
    "Refunded",
    show=lambda payment: formats.badge(payment.refund_status) if payment.amount_refunded else "—",
    plain=lambda payment: payment.refund_status,
)


class PaymentAdmin(OfficeAdmin):
    """Read-only, like all money: an amount or a status is never typed in."""

    view_right: ClassVar[Right] = Right.VIEW_TRADE
    notes = True
    list_select_related = ("merchant", "customer")
    list_display = (
        instant_column("Created", "created_at"),
        amount_column("Amount"),
        STATUS,
        MERCHANT,
        Column("Customer", show=lambda payment: formats.whole(_phone(payment)), plain=_phone),
        Column("About", show=_about),
        REFUNDED,
        MODE,
        id_column("Payment"),
    )
    list_filter = (
        day_filter(prefix="pay"),
        choice_filter("status", "status", PaymentStatus.choices),
        choice_filter("kind", "payment_mode", PaymentMode.choices),
        ModeFilter,
        link_filter("merchant", "merchant", "merchant_id"),
        link_filter("customer", "customer", "customer_id"),
        link_filter("payment link", "link", "link_id"),
        link_filter("counter", "counter", "static_payment_id"),
    )
    acts: ClassVar[tuple[Act, ...]] = (
        REFUND,
        CANCEL,
        RESEND_PAYMENT,
        RECEIPT,
        note_act(NoteSubject.PAYMENT),
    )

    def heading(self, row: Payment) -> str:
        return f"Payment of {formats.money(row.amount, row.currency)}"

    def answer(self, row: Payment, now: datetime) -> Answer:
        return answer_of(row, now)

    def timeline(self, row: Payment) -> list[Moment]:
        return timeline_of(row)

    def sections(self, row: Payment) -> list[Section]:
        return [_sum(row), _parties(row), _names(row), _metadata(row)]

    def tables(self, row: Payment) -> list[Table]:
        return [_items(row), _refunds(row)] if row.line_items else [_refunds(row)]


def _sum(payment: Payment) -> Section:
    currency = payment.currency
    return Section(
        "Sum",
        facts(
            ("Amount", formats.money(payment.amount, currency)),
            ("Status", formats.badge(payment.status_at(request_now()))),
            ("Mode", formats.mode(payment.livemode)),
            ("Fee", formats.money(payment.fee, currency) if payment.fee else ""),
            ("Merchant gets", formats.money(payment.net, currency) if payment.fee else ""),
            (
                "Refunded",
                formats.money(payment.amount_refunded, currency) if payment.amount_refunded else "",
            ),
            (
                "Left to refund",
                formats.money(payment.amount_refundable, currency)
                if payment.status == PaymentStatus.COMPLETED
                else "",
            ),
            (
                "Error",
                f"{payment.error_code}: {payment.error_message}" if payment.error_code else "",
            ),
        ),
    )


def _parties(payment: Payment) -> Section:
    merchant, customer = payment.merchant, payment.customer
    paid_by = customer and formats.link(
        customer.masked_phone, reverse("admin:customers_customer_change", args=[customer.pk])
    )
    shop = reverse("admin:merchants_merchant_change", args=[merchant.pk])
    return Section(
        "Who",
        facts(
            ("Merchant", formats.link(merchant.name, shop)),
            ("Customer", paid_by),
            ("Invoice to", masked_address(payment.customer_email or "")),
        ),
    )


def _names(payment: Payment) -> Section:
    return Section(
        "Names and times",
        facts(
            ("Payment", formats.code(payment.pk)),
            ("Transaction", formats.code(payment.transaction_id) if payment.transaction_id else ""),
            ("Kind", payment.payment_mode),
            ("Description", payment.description),
            ("Reference", payment.reference),
            ("Order", payment.order_id),
            ("Invoice", payment.invoice_number),
            ("Due", payment.due_date),
            ("Link", _link_to("links_paymentlink", payment.link_id)),
            ("Counter", _link_to("payments_payment", payment.static_payment_id)),
            ("Created", formats.moment(payment.created_at)),
            ("Expires", formats.moment(payment.expires_at) if payment.expires_at else "never"),
            ("Paid", formats.moment(payment.completed_at) if payment.completed_at else ""),
        ),
    )


def _metadata(payment: Payment) -> Section:
    return Section(
        "Metadata", facts(*((str(name), value) for name, value in payment.metadata.items()))
    )


def _items(payment: Payment) -> Table:
    items = payment.line_items or []
    return Table(
        "Items",
        ("Item", "Quantity", "Price"),
        [
            (item["name"], item["quantity"], formats.money(item["price"], payment.currency))
            for item in items[:100]
        ],
    )


def _refunds(payment: Payment) -> Table:
    refunds = Refund.objects.filter(payment=payment).order_by("-pk")[:REFUNDS_SHOWN]
    return Table(
        "Refunds",
        ("Refund", "Amount", "Status", "Reason", "By", "Created"),
        [
            (
                _short_link_to("refunds_refund", refund.pk),
                formats.money(refund.amount, refund.currency),
                formats.badge(refund.status),
                refund.reason or "—",
                actor_words(refund.created_by),
                formats.moment(refund.created_at),
            )
            for refund in refunds
        ],
    )


def _link_to(model: str, pk: str | None) -> Any:
    if pk is None:
        return ""
    return formats.link(formats.code(pk), reverse(f"admin:{model}_change", args=[pk]))


def _short_link_to(model: str, pk: str) -> Any:
    return formats.link(formats.short_code(pk), reverse(f"admin:{model}_change", args=[pk]))
