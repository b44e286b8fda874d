"""Refunds: each with its payment, and the choice to give up one that waits for money."""

from typing import ClassVar

from django.urls import reverse

from backoffice import formats
from backoffice.actions import Action, ActionContext, ActionResult
from backoffice.admin.office import OfficeAdmin
from backoffice.forms import ReasonForm
from backoffice.page_parts import Section, TimelineEntry, facts
from backoffice.resource.columns import (
    MERCHANT,
    MODE,
    Column,
    amount_column,
    id_column,
    instant_column,
    status_column,
    text_column,
)
from backoffice.resource.filters import DayFilter, ModeFilter, choice_filter, link_filter
from backoffice.roles import Right
from backoffice.services.refunds import give_up
from backoffice.timeline import actor_words
from refunds.models import Refund
from refunds.statuses import RefundStatus


def _give_up(context: ActionContext) -> ActionResult:
    give_up(
        staff=context.staff,
        refund_id=context.row.pk,
        reason=context.data["reason"],
        now=context.now,
    )
    return ActionResult("The refund is given up. The merchant is told.")


GIVE_UP = Action(
    name="give-up",
    title="Give up",
    right=Right.GIVE_UP,
    form=ReasonForm,
    carry_out=_give_up,
    about="The refund fails for good; its amount can be refunded again.",
    icon="block",
    danger=True,
    available=lambda refund, now: refund.status == RefundStatus.PENDING,
)


class RefundAdmin(OfficeAdmin):
    list_select_related = ("merchant",)
    list_display = (
        instant_column("Created", "created_at"),
        amount_column("Amount"),
        status_column(),
        MERCHANT,
        Column(
            "Payment",
            show=lambda refund: formats.short_code(refund.payment_id),
            plain=lambda refund: refund.payment_id,
        ),
        text_column("Reason", "reason"),
        Column("By", show=lambda refund: actor_words(refund.created_by)),
        MODE,
        id_column("Refund"),
    )
    list_filter = (
        DayFilter,
        choice_filter("status", "status", RefundStatus.choices),
        ModeFilter,
        link_filter("merchant", "merchant", "merchant_id"),
        link_filter("payment", "payment", "payment_id"),
    )
    row_actions: ClassVar[tuple[Action, ...]] = (GIVE_UP,)

    def heading(self, row: Refund) -> str:
        return f"Refund of {formats.money(row.amount, row.currency)}"

    def sections(self, row: Refund) -> list[Section]:
        payment = reverse("admin:payments_payment_change", args=[row.payment_id])
        return [
            Section(
                "Refund",
                facts(
                    ("Refund", formats.code(row.pk)),
                    ("Payment", formats.link(formats.code(row.payment_id), payment)),
                    ("Merchant", row.merchant.name),
                    ("Amount", formats.money(row.amount, row.currency)),
                    ("Fee given back", formats.money(row.fee_returned, row.currency)),
                    ("Status", formats.badge(row.status)),
                    ("Mode", formats.mode(row.livemode)),
                    ("Reason", row.reason),
                    ("Failed because", row.failure_reason),
                    ("Asked for by", actor_words(row.created_by)),
                    ("Created", formats.moment(row.created_at)),
                    ("Given back", formats.moment(row.succeeded_at) if row.succeeded_at else ""),
                    ("Customer told", formats.moment(row.notified_at) if row.notified_at else ""),
                ),
            )
        ]

    def timeline(self, row: Refund) -> list[TimelineEntry]:
        moves = [
            TimelineEntry(
                move.at,
                "undo",
                move.to_status.capitalize(),
                actor_words(move.actor),
                tone=formats.tone(move.to_status),
            )
            for move in row.transitions.order_by("-pk")
        ]
        return [
            *moves,
            TimelineEntry(row.created_at, "add_circle", "Asked for", actor_words(row.created_by)),
        ]
