"""Bank entries, and the bank's statements of the account from which payouts leave."""

from datetime import date, datetime
from typing import Any

from backoffice import formats
from backoffice.admin.bank_entry_actions import BANK_ENTRY_ACTIONS
from backoffice.admin.office import OfficeAdmin
from backoffice.page_parts import SupportAnswer, Table
from backoffice.payout_answer import with_links
from backoffice.resource.days import DayFilter
from backoffice.resource.filters import ModeFilter, NumberFilter, Rows, choice_filter, link_filter
from backoffice.resource.resource import SHOWN, Related, summary_table
from backoffice.resource.shown import (
    Actor,
    Amount,
    Badge,
    Field,
    Fieldset,
    Id,
    Instant,
    Reference,
    linked,
)
from backoffice.resource.usual_fields import AMOUNT, MODE
from backoffice.services.bank_entries import named_by
from core.clock import request_now
from funding.models import FundingWay, TopUp
from funding.statuses import CREDITABLE
from payouts.bank.position import OpenPart, position_in
from payouts.contradictions import holds_back
from payouts.models import (
    CAME_IN,
    BankEntry,
    BankEntryKind,
    BankEntryState,
    BankSource,
    BankStatement,
    Payout,
)
from payouts.order_references import is_truncated_reference

READ = Instant("Read", "created_at")
BOOKED = Field("Booked", "booking_date")
BANKS_REFERENCE = Field("Bank's reference", lambda row: row.bank_reference or row.entry_reference)
SAYS, SOURCE = Field("Kind", "get_kind_display"), Field("Source", "get_source_display")
STATE = Badge("State", "state")
WORDS = Field("In words", "message", most=40)
WHY, ENTRY = Field("Why", "problem", most=90), Id("Entry")
WAITED = Field(
    "Waited", lambda entry: formats.age(entry.created_at, entry.resolved_at or request_now())
)
CHARGE = Amount("Of it the bank's charge", "charge_amount", shown=lambda entry: entry.charge_amount)
OPENING = Amount("Opening", "opening_amount")
ENTRIES = Amount("Entries", "entries_amount")
CLOSING = Amount("Closing", "closing_amount")
START, END = Instant("From", "start_at"), Instant("To", "end_at")


def _our_reference(entry: BankEntry) -> str:
    """Return the reference, linked to the payout or run that it names."""
    words = entry.end_to_end_id or entry.message_reference
    if is_truncated_reference(words):
        return f"{words} (truncated by the bank)"
    return str(linked(named_by(entry), words)) if words else ""


def _same_money(entry: BankEntry) -> dict[str, Any]:
    return {"amount": entry.amount, "currency": entry.currency, "livemode": entry.livemode}


def _perhaps_payouts(entry: BankEntry) -> Any:
    """Return the payouts of its amount that have left, and have no booking of this kind yet."""
    booking = {"return_booked_at" if entry.kind in CAME_IN else "booked_at": None}
    left = Payout.objects.filter(**_same_money(entry), **booking).exclude(batch=None)
    return left if entry.is_waiting else left.none()


def _perhaps_top_ups(entry: BankEntry) -> Any:
    """Return the transfers of its amount that customers have announced."""
    announced = TopUp.objects.filter(**_same_money(entry), way=FundingWay.BANK_TRANSFER)
    awaited = announced.filter(status__in=CREDITABLE)
    is_credit = entry.is_waiting and entry.kind == BankEntryKind.CREDIT
    return awaited if is_credit else awaited.none()


class StatementFilter(NumberFilter):
    title = "bank statement"
    parameter_name = "statement"
    field_name = "statement_id"


class BookedFilter(DayFilter):
    """The booking date, as given by the bank."""

    title = "booked"
    parameter_name = "booked"

    def of_days(self, rows: Rows, first: date, last: date) -> Rows:
        return rows.filter(booking_date__gte=first, booking_date__lt=last)


class ReadFilter(DayFilter):
    """The day of the import; it includes status reports, which have no booking date."""

    title = "read"


class BankEntryAdmin(OfficeAdmin):
    model = BankEntry
    list_select_related = ("file",)
    list_display = (READ, BOOKED, WAITED, SAYS, AMOUNT, WORDS, STATE, WHY, MODE, ENTRY)
    export_fields = (*list_display, SOURCE, BANKS_REFERENCE)
    summary = (ENTRY, BOOKED, SAYS, AMOUNT, WORDS, STATE, WHY)
    list_filter = (
        BookedFilter,
        ReadFilter,
        choice_filter("state", "state", BankEntryState.choices),
        choice_filter("source", "source", BankSource.choices),
        choice_filter("kind", "kind", BankEntryKind.choices),
        ModeFilter,
        StatementFilter,
        link_filter("payout", "payout", "payout_id"),
        link_filter("run", "run", "batch_id"),
    )
    row_actions = BANK_ENTRY_ACTIONS
    hides_empty = True
    related = (
        Related(Payout, title="Payouts of this amount, not booked yet", rows=_perhaps_payouts),
        Related(TopUp, title="Top-ups of this amount, not paid yet", rows=_perhaps_top_ups),
    )
    page = (
        Fieldset(
            "What the bank says",
            SAYS,
            AMOUNT,
            CHARGE,
            Field("Our reference", _our_reference),
            BANKS_REFERENCE,
            Field("Reason", "code"),
            Field("In words", "message"),
            SOURCE,
            Field("File", "file.message_id"),
            BOOKED,
            READ,
            MODE,
        ),
        Fieldset(
            "How we read it",
            STATE,
            Reference("Payout", "payout_id"),
            Reference("Run", "batch_id"),
            Reference("Top-up", "credited_to"),
            Field("Note", "note"),
            Instant("When", "resolved_at"),
            Actor("By", "resolved_by"),
        ),
    )

    def heading(self, row: BankEntry) -> str:
        amount = formats.money(row.amount, row.currency)
        return f"Bank entry: {row.get_kind_display()}, {amount}"

    def answer(self, row: BankEntry, now: datetime) -> SupportAnswer:
        if row.state == BankEntryState.UNMATCHED:
            return SupportAnswer(_why_it_waits(row), "wait")
        if row.state == BankEntryState.OTHER:
            return SupportAnswer([f"Of no payout: {row.note}"], "quiet")
        return SupportAnswer(["Matched."], "good")


def _why_it_waits(entry: BankEntry) -> list[str]:
    words = [with_links(f"It waits for a person: {entry.problem}")]
    if holds_back(entry):
        words.append("Payouts may be waiting for it: setting it aside takes two people.")
    elif entry.kind == BankEntryKind.CREDIT and not entry.is_booked_credit:
        words.append(
            "A wallet can be credited once a statement reports it, by the entry from there."
        )
    return words


def _amended_by(statement: BankStatement) -> str:
    later = BankStatement.objects.filter(amends=statement).select_related("file").first()
    return later.file.message_id if later else ""


class BankStatementAdmin(OfficeAdmin):
    """Each page shows what is open now: the ledger's account against all statements."""

    model = BankStatement
    heading_format = "Bank statement {row.number}"
    list_display = (Field("Statement", "number"), START, END, OPENING, ENTRIES, CLOSING, MODE)
    list_filter = (ModeFilter,)
    details = (Field("Amended by the file", _amended_by),)
    related = (Related(BankEntry, "statement"),)

    def tables(self, row: BankStatement) -> list[Table]:
        currency = row.currency
        position = position_in(currency, livemode=row.livemode)
        parts = position.parts if position else ()
        rows = [
            (
                part.words,
                formats.amount(f"{part.count:,}"),
                formats.bare_amount(part.amount, currency),
                formats.age(part.oldest, request_now()) if part.oldest else "",
            )
            for part in parts
        ]
        total = formats.money(position.difference if position else 0, currency)
        columns = (
            "What",
            formats.amount("How many"),
            formats.amount(f"Amount, {currency}"),
            "Oldest",
        )
        difference = Table(f"Difference between ledger and bank now: {total}", columns, rows)
        gaps = [
            (
                each.after,
                each.before,
                formats.bare_amount(each.amount, currency),
                formats.moment(each.since),
            )
            for each in (position.missing if position else ())
        ]
        headings = ("After", "Before", formats.amount(f"They moved, {currency}"), "Since")
        missing = Table("Statements missing", headings, gaps)
        shown = [difference, *map(self._open_part, parts), *([missing] if gaps else [])]
        return [*shown, *super().tables(row)]

    def _open_part(self, part: OpenPart) -> Table:
        """Return what a part of the difference consists of, oldest first."""
        model = part.rows.model
        related = self.admin_site.get_model_admin(model).list_select_related
        words = part.words.capitalize()
        title = words if part.count <= SHOWN else f"{words}: the oldest {SHOWN}"
        rows = part.rows.select_related(*related)[:SHOWN]
        return summary_table(self.admin_site, title, model, rows)
