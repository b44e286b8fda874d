"""What the bank reports, entry by entry, and its statements of the account payouts leave from."""

from datetime import datetime
from typing import ClassVar

from django.urls import reverse

from backoffice import formats
from backoffice.acts import Act
from backoffice.admin.bank_entry_acts import BANK_ENTRY_ACTS, entry_money
from backoffice.admin.filters import ModeFilter, choice_filter
from backoffice.admin.office import OfficeAdmin
from backoffice.page_parts import Answer, Section, Table, facts
from backoffice.resource.columns import (
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
from core.clock import request_now
from payouts.bank.position import position_in
from payouts.models import (
    BankEntry,
    BankEntryKind,
    BankEntryState,
    BankSource,
    BankStatement,
)


class BankEntryAdmin(OfficeAdmin):
    view_right: ClassVar[Right] = Right.VIEW_PAYOUTS
    list_select_related = ("payout", "batch", "file")
    list_display = (
        instant_column("Read", "created_at"),
        Column(
            "Waited",
            show=lambda entry: formats.age(entry.created_at, entry.resolved_at or request_now()),
        ),
        Column("Says", show=lambda entry: entry.get_kind_display()),
        Column("Amount", show=entry_money),
        status_column("State", "state"),
        text_column("Why", "problem"),
        Column("In", show=lambda entry: entry.get_source_display()),
        MODE,
        id_column("Entry"),
    )
    list_filter = (
        choice_filter("state", "state", BankEntryState.choices),
        choice_filter("source", "source", BankSource.choices),
        choice_filter("kind", "kind", BankEntryKind.choices),
        ModeFilter,
    )
    acts: ClassVar[tuple[Act, ...]] = BANK_ENTRY_ACTS

    def heading(self, row: BankEntry) -> str:
        return f"Bank entry: {row.get_kind_display()}, {entry_money(row)}"

    def answer(self, row: BankEntry, now: datetime) -> Answer:
        if row.state == BankEntryState.UNMATCHED:
            return Answer([f"It waits for a person: {row.problem}"], "wait")
        if row.state == BankEntryState.OTHER:
            return Answer([f"Of no payout: {row.note}"], "quiet")
        return Answer(["Matched."], "good")

    def sections(self, row: BankEntry) -> list[Section]:
        payout = reverse("admin:payouts_payout_change", args=[row.payout_id]) if row.payout else ""
        batch = (
            reverse("admin:payouts_payoutbatch_change", args=[row.batch_id]) if row.batch else ""
        )
        return [
            Section(
                "What the bank says",
                facts(
                    ("What", row.get_kind_display()),
                    ("Amount", entry_money(row)),
                    ("Our reference", row.end_to_end_id or row.message_reference),
                    ("Bank's reference", row.bank_reference),
                    ("Reason", row.code),
                    ("In words", row.message),
                    ("In", f"{row.get_source_display()} {row.file.message_id}"),
                    ("Read", formats.moment(row.created_at)),
                    ("Mode", formats.mode(row.livemode)),
                ),
            ),
            Section(
                "What we made of it",
                facts(
                    ("State", formats.badge(row.state)),
                    ("Payout", formats.link(formats.code(row.payout_id), payout) if payout else ""),
                    ("Run", formats.link(formats.code(row.batch_id), batch) if batch else ""),
                    ("Note", row.note),
                    ("When", formats.moment(row.resolved_at) if row.resolved_at else ""),
                    ("By", actor_words(row.resolved_by) if row.resolved_by else ""),
                ),
            ),
        ]


class BankStatementAdmin(OfficeAdmin):
    """Each page shows what is open now: the ledger's account against all statements so far."""

    view_right: ClassVar[Right] = Right.VIEW_PAYOUTS
    list_display = (
        text_column("Statement", "number"),
        instant_column("From", "start_at"),
        instant_column("To", "end_at"),
        amount_column("Opening", "opening_amount"),
        amount_column("Entries", "entries_amount"),
        amount_column("Closing", "closing_amount"),
        MODE,
    )
    list_filter = (ModeFilter,)

    def heading(self, row: BankStatement) -> str:
        return f"Bank statement {row.number}"

    def sections(self, row: BankStatement) -> list[Section]:
        return [
            Section(
                "Statement",
                facts(
                    ("From", formats.moment(row.start_at)),
                    ("To", formats.moment(row.end_at)),
                    ("Opening", formats.money(row.opening_amount, row.currency)),
                    ("Entries", formats.money(row.entries_amount, row.currency)),
                    ("Closing", formats.money(row.closing_amount, row.currency)),
                    ("Mode", formats.mode(row.livemode)),
                ),
            )
        ]

    def tables(self, row: BankStatement) -> list[Table]:
        position = position_in(row.currency, livemode=row.livemode)
        rows = [
            (
                part.words,
                f"{part.count:,}",
                formats.money(part.amount, row.currency),
                formats.age(part.oldest, request_now()) if part.oldest else "",
            )
            for part in (position.parts if position else ())
        ]
        total = formats.money(position.difference if position else 0, row.currency)
        columns = ("What", "How many", "Amount", "Oldest")
        return [Table(f"Difference between ledger and bank now: {total}", columns, rows)]
