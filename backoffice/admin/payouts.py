"""Payouts, runs for the bank, bank accounts and holidays."""

from datetime import datetime
from typing import ClassVar

from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse

from backoffice import formats
from backoffice.acts import Act
from backoffice.admin.bank_entry_acts import IMPORT_ACTS, RETURN_ACTS
from backoffice.admin.filters import ModeFilter, choice_filter, day_filter, link_filter
from backoffice.admin.office import OfficeAdmin
from backoffice.admin.payout_acts import (
    BANK_ACCOUNT_ACTS,
    HOLIDAY_ACTS,
    HOLIDAY_LIST_ACTS,
    PAYOUT_ACTS,
    RUN_ACTS,
)
from backoffice.page_parts import Answer, Moment, Section, Table, facts
from backoffice.pages.bank_file import bank_file_page
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
from backoffice.roles import Right
from backoffice.timeline import actor_words
from payouts.models import BankAccount, BankHoliday, Payout, PayoutBatch, PayoutOrigin
from payouts.statuses import PayoutStatus

SHOWN = 50


class PayoutAdmin(OfficeAdmin):
    view_right: ClassVar[Right] = Right.VIEW_PAYOUTS
    list_select_related = ("merchant", "bank_account")
    list_display = (
        instant_column("Created", "created_at"),
        amount_column("Amount"),
        status_column(),
        MERCHANT,
        Column("To", show=lambda payout: str(payout.bank_account)),
        text_column("Leaves", "send_date"),
        text_column("Arrives", "arrival_date"),
        MODE,
        id_column("Payout"),
    )
    list_filter = (
        day_filter(prefix="po"),
        choice_filter("status", "status", PayoutStatus.choices),
        choice_filter("asked for by", "origin", PayoutOrigin.choices),
        ModeFilter,
        link_filter("merchant", "merchant", "merchant_id"),
        link_filter("run", "run", "batch_id"),
    )
    acts: ClassVar[tuple[Act, ...]] = (*PAYOUT_ACTS, *RETURN_ACTS)

    def heading(self, row: Payout) -> str:
        return f"Payout of {formats.money(row.amount, row.currency)}"

    def answer(self, row: Payout, now: datetime) -> Answer:
        tone = formats.tone(row.status)
        words = {
            PayoutStatus.SCHEDULED: f"It leaves on {row.send_date:%d %b}.",
            PayoutStatus.IN_TRANSIT: f"On its way to the bank; due {row.arrival_date:%d %b}.",
            PayoutStatus.PAID: f"Paid on {formats.moment(row.paid_at)}.",
            PayoutStatus.FAILED: f"Failed: {row.failure_message} The money went back.",
            PayoutStatus.RETURNED: f"The bank sent it back: {row.failure_message}",
            PayoutStatus.CANCELED: "Canceled. The money went back to the merchant's balance.",
        }
        return Answer([words[PayoutStatus(row.status)]], tone)

    def sections(self, row: Payout) -> list[Section]:
        merchant = reverse("admin:merchants_merchant_change", args=[row.merchant_id])
        return [
            Section(
                "Payout",
                facts(
                    ("Payout", formats.code(row.pk)),
                    ("Amount", formats.money(row.amount, row.currency)),
                    ("Status", formats.badge(row.status)),
                    ("Merchant", formats.link(row.merchant.name, merchant)),
                    ("To", str(row.bank_account)),
                    ("Asked for by", row.get_origin_display()),
                    ("Leaves", row.send_date),
                    ("Arrives", row.arrival_date),
                    ("Run", formats.code(row.batch_id) if row.batch_id else ""),
                    ("Bank's reference", row.bank_reference),
                    ("Mode", formats.mode(row.livemode)),
                    ("Description", row.description),
                ),
            )
        ]

    def timeline(self, row: Payout) -> list[Moment]:
        return [
            Moment(
                move.at,
                "send_money",
                move.to_status.replace("_", " ").capitalize(),
                actor_words(move.actor),
                details=(move.cause,) if move.cause else (),
                tone=formats.tone(move.to_status),
            )
            for move in row.transitions.order_by("-pk")[:SHOWN]
        ]


class PayoutBatchAdmin(OfficeAdmin):
    plural = "Payout runs"
    counted = ("run", "runs")
    view_right: ClassVar[Right] = Right.VIEW_PAYOUTS
    list_display = (
        instant_column("Made", "created_at"),
        amount_column("Total", "total_amount"),
        Column("Payouts", show=lambda batch: batch.count),
        text_column("For", "execution_date"),
        Column("By", show=lambda batch: actor_words(batch.created_by)),
        MODE,
        id_column("Run"),
    )
    list_filter = (ModeFilter,)
    list_acts: ClassVar[tuple[Act, ...]] = (*RUN_ACTS, *IMPORT_ACTS)

    def get_urls(self) -> list[URLPattern]:
        guard = self.admin_site.admin_view
        own = [
            path(
                "<path:object_id>/file/<slug:form>/",
                guard(self.bank_file_view),
                name="payouts_payoutbatch_file",
            )
        ]
        return own + super().get_urls()

    def bank_file_view(self, request: HttpRequest, object_id: str, form: str) -> HttpResponse:
        """Answer with the file for the bank; it holds account numbers."""
        return bank_file_page(request, self.row_of(request, object_id), form)

    def heading(self, row: PayoutBatch) -> str:
        return f"Payout run of {formats.money(row.total_amount, row.currency)}"

    def sections(self, row: PayoutBatch) -> list[Section]:
        files = [
            formats.link(words, reverse("admin:payouts_payoutbatch_file", args=[row.pk, form]))
            for words, form in (("CSV", "csv"), ("ISO 20022 pain.001", "xml"))
        ]
        return [
            Section(
                "Run",
                facts(
                    ("Run", formats.code(row.pk)),
                    ("Payouts", row.count),
                    ("Total", formats.money(row.total_amount, row.currency)),
                    ("For", row.execution_date),
                    ("Made", formats.moment(row.created_at)),
                    ("By", actor_words(row.created_by)),
                    ("Mode", formats.mode(row.livemode)),
                    ("File for the bank", files[0]),
                    ("", files[1]),
                ),
            )
        ]

    def tables(self, row: PayoutBatch) -> list[Table]:
        payouts = row.payouts.select_related("merchant", "bank_account").order_by("pk")[:SHOWN]
        more = f"{reverse('admin:payouts_payout_changelist')}?run={row.pk}&mode=both"
        return [
            Table(
                "Payouts",
                ("Payout", "Merchant", "Amount", "To", "Status"),
                [
                    (
                        formats.link(
                            formats.code(payout.pk),
                            reverse("admin:payouts_payout_change", args=[payout.pk]),
                        ),
                        payout.merchant.name,
                        formats.money(payout.amount, payout.currency),
                        str(payout.bank_account),
                        formats.badge(payout.status),
                    )
                    for payout in payouts
                ],
                more=more,
            )
        ]


class BankAccountAdmin(OfficeAdmin):
    """The number is never shown: only its last four characters."""

    view_right: ClassVar[Right] = Right.VIEW_PAYOUTS
    list_select_related = ("merchant",)
    list_display = (
        text_column("Bank", "bank_name"),
        MERCHANT,
        Column("Number", show=lambda account: f"…{account.last_four}"),
        text_column("Currency", "currency"),
        Column(
            "State", show=lambda account: formats.badge("off" if account.closed_at else "active")
        ),
        MODE,
        id_column("Account"),
    )
    list_filter = (ModeFilter, link_filter("merchant", "merchant", "merchant_id"))
    acts: ClassVar[tuple[Act, ...]] = BANK_ACCOUNT_ACTS

    def heading(self, row: BankAccount) -> str:
        return f"Bank account {row}"

    def sections(self, row: BankAccount) -> list[Section]:
        merchant = reverse("admin:merchants_merchant_change", args=[row.merchant_id])
        return [
            Section(
                "Bank account",
                facts(
                    ("Merchant", formats.link(row.merchant.name, merchant)),
                    ("Holder", row.holder_name),
                    ("Bank", row.bank_name),
                    ("Number", f"…{row.last_four}"),
                    ("BIC", row.bic),
                    ("Clearing code", row.clearing_code),
                    ("Currency", row.currency),
                    ("Mode", formats.mode(row.livemode)),
                    ("Opened", formats.moment(row.created_at)),
                    ("By", actor_words(row.created_by)),
                    ("Closed", formats.moment(row.closed_at) if row.closed_at else ""),
                    ("Closed by", actor_words(row.closed_by) if row.closed_by else ""),
                ),
            )
        ]


class BankHolidayAdmin(OfficeAdmin):
    view_right: ClassVar[Right] = Right.VIEW_PAYOUTS
    ordering = ("-date",)
    list_display = (text_column("Day", "date"), text_column("Name", "name"))
    list_filter = ()
    list_acts: ClassVar[tuple[Act, ...]] = HOLIDAY_LIST_ACTS
    acts: ClassVar[tuple[Act, ...]] = HOLIDAY_ACTS

    def heading(self, row: BankHoliday) -> str:
        return f"Bank holiday {row}"

    def sections(self, row: BankHoliday) -> list[Section]:
        return [Section("Day", facts(("Day", row.date), ("Name", row.name)))]
