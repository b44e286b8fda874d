"""Payment links."""

from typing import ClassVar

from django.urls import reverse

from backoffice import formats
from backoffice.acts import Act
from backoffice.admin.filters import ModeFilter, choice_filter, day_filter, link_filter
from backoffice.admin.link_acts import END_LINK
from backoffice.admin.office import OfficeAdmin
from backoffice.page_parts import Section, Table, facts
from backoffice.resource.columns import (
    MERCHANT,
    MODE,
    Column,
    amount_column,
    id_column,
    instant_column,
    text_column,
)
from backoffice.roles import Right
from backoffice.timeline import actor_words
from core.clock import request_now
from links.models import PaymentLink
from links.statuses import LinkStatus
from payments.models import Payment

SHOWN = 20


class PaymentLinkAdmin(OfficeAdmin):
    view_right: ClassVar[Right] = Right.VIEW_TRADE
    list_select_related = ("merchant",)
    list_display = (
        instant_column("Created", "created_at"),
        amount_column("Amount"),
        Column(
            "Status",
            show=lambda link: formats.badge(link.status_at(request_now())),
            plain=lambda link: link.status_at(request_now()).value,
        ),
        MERCHANT,
        text_column("Description", "description"),
        Column("Uses", show=lambda link: f"{link.uses_count} of {link.max_uses or '∞'}"),
        MODE,
        id_column("Link"),
    )
    list_filter = (
        day_filter(prefix="link"),
        choice_filter("status", "status", LinkStatus.choices),
        ModeFilter,
        link_filter("merchant", "merchant", "merchant_id"),
    )
    acts: ClassVar[tuple[Act, ...]] = (END_LINK,)

    def heading(self, row: PaymentLink) -> str:
        amount = formats.money(row.amount, row.currency) if row.amount else "any amount"
        return f"Payment link for {amount}"

    def sections(self, row: PaymentLink) -> list[Section]:
        merchant = reverse("admin:merchants_merchant_change", args=[row.merchant_id])
        return [
            Section(
                "Link",
                facts(
                    ("Status", formats.badge(row.status_at(request_now()))),
                    ("Address", row.url),
                    ("Merchant", formats.link(row.merchant.name, merchant)),
                    ("Description", row.description),
                    ("Uses", f"{row.uses_count} of {row.max_uses or '∞'}"),
                    ("Collected", formats.money(row.amount_collected, row.currency)),
                    ("Opened", row.opened_count),
                    ("Mode", formats.mode(row.livemode)),
                    ("Created", formats.moment(row.created_at)),
                    ("Expires", formats.moment(row.expires_at) if row.expires_at else "never"),
                    ("Ended", formats.moment(row.ended_at) if row.ended_at else ""),
                    ("Ended by", actor_words(row.ended_by) if row.ended_by else ""),
                ),
            )
        ]

    def tables(self, row: PaymentLink) -> list[Table]:
        payments = Payment.objects.filter(link=row).select_related("customer").order_by("-pk")
        return [
            Table(
                "Payments through it",
                ("Created", "Amount", "Status", "Customer"),
                [
                    (
                        formats.link(
                            formats.moment(payment.created_at),
                            reverse("admin:payments_payment_change", args=[payment.pk]),
                        ),
                        formats.money(payment.amount, payment.currency),
                        formats.badge(payment.status_at(request_now())),
                        payment.customer.masked_phone if payment.customer else "—",
                    )
                    for payment in payments[:SHOWN]
                ],
                more=f"{reverse('admin:payments_payment_changelist')}?link={row.pk}&mode=both",
            )
        ]
