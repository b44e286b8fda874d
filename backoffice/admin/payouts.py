"""Payouts and the movements that they consist of, runs for the bank, and holidays.

Each movement is a line of the statement that a payout closes.
"""

from collections import Counter
from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

from backoffice import formats
from backoffice.admin.bank_entry_actions import IMPORT
from backoffice.admin.office import OfficeAdmin
from backoffice.admin.payout_actions import (
    ADD_HOLIDAY,
    DROP_HOLIDAY,
    MAKE_RUN,
    PAYOUT_ACTIONS,
)
from backoffice.page_parts import SupportAnswer, Table
from backoffice.pages.export import bank_file_page
from backoffice.payout_answer import answer_of
from backoffice.resource.days import DayFilter
from backoffice.resource.filters import ModeFilter, OfficeFilter, Rows, choice_filter, link_filter
from backoffice.resource.list_filters import MerchantFilter
from backoffice.resource.page_urls import address_of, list_of, page_of, page_to_open
from backoffice.resource.resource import Related
from backoffice.resource.shown import Amount, Code, Field, Figure, Id, Instant, Reference, RowLink
from backoffice.resource.usual_fields import AMOUNT, BY, CREATED, MERCHANT, MODE, STATUS
from backoffice.roles import Right
from backoffice.statement_files import KINDS, SUM_WORDS
from payouts.account_statements import SUMS
from payouts.composition import composition_of, explain_payout, lines_too_late_for
from payouts.models import BankEntry, BankHoliday, Payout, PayoutBatch, PayoutOrigin, StatementLine
from payouts.statuses import ENDED_UNPAID, PayoutStatus

SHOWN = 50
NEVER_ARRIVED = ENDED_UNPAID | {PayoutStatus.CANCELED}
TO = RowLink("To", lambda payout: str(payout.bank_account), to="bank_account")
ORIGINS = {
    PayoutOrigin.SCHEDULE: "the schedule",
    PayoutOrigin.API: "the merchant, by API",
    PayoutOrigin.STAFF: "staff",
}


def _leaves(payout: Payout) -> date | None:
    """Return the day on which it left, or is to leave; None if it never did."""
    if payout.in_transit_at:
        return timezone.localtime(payout.in_transit_at).date()
    never = (PayoutStatus.CANCELED, PayoutStatus.FAILED)
    return None if payout.status in never else payout.send_date


LEAVES = Field("Leaves", _leaves)
EXPECTED = Field(
    "Expected", lambda payout: None if payout.status in NEVER_ARRIVED else payout.arrival_date
)


class LeavesFilter(DayFilter):
    """Scheduled to leave on a day; payouts that have left are not in the index."""

    title = "leaves"
    parameter_name = "leaves"
    options = (("today", "today"),)

    def of_days(self, rows: Rows, first: date, last: date) -> Rows:
        scheduled = rows.filter(status=PayoutStatus.SCHEDULED)
        return scheduled.filter(send_date__gte=first, send_date__lt=last)


class PayoutAdmin(OfficeAdmin):
    model = Payout
    heading_format = "Payout of {amount}"
    summed = "amount"
    list_select_related = ("merchant", "bank_account", "statement", "order")
    list_display = (CREATED, AMOUNT, STATUS, MERCHANT, TO, LEAVES, EXPECTED, MODE, Id("Payout"))
    list_filter = (
        DayFilter,
        LeavesFilter,
        choice_filter("status", "status", PayoutStatus.choices),
        choice_filter("requested by", "origin", ORIGINS.items()),
        ModeFilter,
        MerchantFilter,
        link_filter("run", "run", "batch_id"),
    )
    indexed = frozenset({"merchant"})
    row_actions = PAYOUT_ACTIONS
    details = (
        Field("Requested by", lambda payout: ORIGINS[payout.origin]),
        Instant("Paid", "paid_at"),
        Reference("Run", "batch_id"),
        Field("Our reference", "order.end_to_end_id"),
        Field("Bank's reference", "bank_reference"),
        Instant("Booking read", "booked_at"),
        Instant("Return read", "return_booked_at"),
        Field("Description", "description"),
    )
    export_fields = (*list_display, *details)
    related = (Related(BankEntry, "payout"),)

    asks = "Paid out more or less than expected by"

    def asked(self, row: Payout, text: str) -> list[Table]:
        return explanation_tables(row, text)

    def tables(self, row: Payout) -> list[Table]:
        return [composition_table(row), *super().tables(row)]

    def answer(self, row: Payout, now: datetime) -> SupportAnswer:
        return answer_of(row, now)


TOTAL, COUNT = Amount("Total", "total_amount"), Figure("Payouts", "count")
MADE, FOR = Instant("Made", "created_at"), Field("For", "execution_date")


class PayoutBatchAdmin(OfficeAdmin):
    model = PayoutBatch
    heading_format = "Payout run of {amount}"
    list_display = (MADE, TOTAL, COUNT, FOR, BY, MODE, Id("Run"))
    list_filter = (ModeFilter,)
    list_actions = (MAKE_RUN, IMPORT)
    file_route = "file/<slug:form>/"
    file_right = Right.PAY_OUT
    related = (
        Related(Payout, "batch", filter_name="run", shown=SHOWN, order=("pk",)),
        Related(BankEntry, "batch", filter_name="run"),
    )

    def answer(self, row: PayoutBatch, now: datetime) -> SupportAnswer:
        """Count what the bank has answered, and say what to do until it has."""
        statuses = Counter(row.payouts.values_list("status", flat=True))
        paid, moving = statuses[PayoutStatus.PAID], statuses[PayoutStatus.IN_TRANSIT]
        words = [f"{paid:,} of {row.count:,} paid."]
        if unpaid := sum(statuses[status] for status in ENDED_UNPAID):
            words.append(f"{unpaid:,} refused or returned.")
        if moving:
            next_step = "send it the file once, and import here what it reports."
            words.append(f"{moving:,} on the way to the bank: {next_step}")
        return SupportAnswer(words, "wait" if moving else "bad" if unpaid else "good")

    def files(self, row: PayoutBatch) -> list[tuple[str, str]]:
        forms = (("CSV for the bank", "csv"), ("ISO 20022 pain.001", "xml"))
        return [(words, address_of(PayoutBatch, "file", row.pk, form)) for words, form in forms]

    def file_response(self, request: HttpRequest, row: PayoutBatch, form: str) -> HttpResponseBase:
        """Respond with the file for the bank, which contains account numbers."""
        return bank_file_page(request, row, form)


DAY, NAME = Field("Day", "date"), Field("Name", "name")


class BankHolidayAdmin(OfficeAdmin):
    model = BankHoliday
    ordering = ("-date",)
    list_display = (DAY, NAME)
    list_actions = (ADD_HOLIDAY,)
    row_actions = (DROP_HOLIDAY,)


MOVED_AT = Instant("At", "transfer.created_at")
MOVED_AS = Field("Kind", lambda line: KINDS[line.transfer.kind])
MOVED = Amount("Amount", "amount", currency="transfer.currency")
MOVED_FOR = Reference("About", "transfer.reference")
TRANSACTION = Code("Transaction", "transfer.transaction_id")
# Fees are one sum, though two kinds of movements: what refunds give back lowers it.
PARTS = SUM_WORDS | {"fees_amount": "Fees, less fees refunded"}


class PartFilter(OfficeFilter):
    title = "part"
    parameter_name = "part"
    options = tuple(PARTS.items())

    def narrowed(self, rows: Rows, value: str) -> Rows:
        return rows.filter(
            transfer__kind__in=[kind for kind, name in SUMS.items() if name == value]
        )


class MovementAdmin(OfficeAdmin):
    model = StatementLine
    audited = False
    heading_format = "Movement of {amount}"
    summed = "amount"
    list_select_related = ("transfer",)
    list_display = (MOVED_AT, MOVED_AS, MOVED, MOVED_FOR, TRANSACTION)
    list_filter = (PartFilter, link_filter("payout", "payout", "statement__payout"))
    details = (
        Field("Description", "transfer.description"),
        Reference("Payout", "statement.payout.pk"),
    )


def composition_table(payout: Payout) -> Table:
    """Return the parts of a payout, each with a link to its movements."""
    made_of, currency = composition_of(payout), payout.currency
    before = formats.bare_amount(made_of.opening_amount, currency)
    rows: list[tuple[Any, ...]] = [("Balance before", "", before)]
    for name, words in PARTS.items():
        part = made_of.parts[name]
        if part.count:
            url = list_of(StatementLine, payout=payout.pk, part=name)
            amount = formats.bare_amount(part.amount, currency)
            rows.append((formats.link(words, url), formats.amount(f"{part.count:,}"), amount))
    rows += [
        ("This payout", "", formats.bare_amount(-made_of.payout_amount, currency)),
        ("Balance after", "", formats.bare_amount(made_of.closing_amount, currency)),
    ]
    more = list_of(StatementLine, payout=payout.pk)
    columns = ("What", formats.amount("How many"), formats.amount(f"Amount, {currency}"))
    return Table("What it is made of", columns, rows, more=more, is_first=True)


def explanation_tables(payout: Payout, text: str) -> list[Table]:
    """Return the movements that explain a difference, and those that came too late."""
    currency = payout.currency
    amount = formats.cents(text.lstrip(f"-{formats.MINUS}"), currency)
    if amount is None:
        return [Table(f"“{text}” is not an amount in {currency}", (), (), is_first=True)]
    words = formats.money(amount, currency)
    columns = ("No.", "Kind", formats.amount(f"Amount, {currency}"), "About", "At")
    found = _numbered(explain_payout(payout, amount))
    nothing = f"Nothing here makes up {words}, alone or in pairs"
    title = f"What makes up {words} here" if found else nothing
    tables = [Table(title, columns if found else (), found, is_first=True)]
    if late := _numbered(lines_too_late_for(payout, amount)):
        title = f"What came too late for this payout: {words} in the next one"
        tables.append(Table(title, columns, late, is_first=True))
    return tables


def _numbered(groups: Iterable[Iterable[StatementLine]]) -> list[tuple[Any, ...]]:
    return [(number, *_cells(line)) for number, group in enumerate(groups, 1) for line in group]


def _cells(line: StatementLine) -> tuple[Any, ...]:
    url = page_of(line) if line.statement_id else page_to_open(line.transfer)
    kind = formats.link(MOVED_AS.cell(line), url)
    amount = formats.bare_amount(line.amount, line.transfer.currency)
    return (kind, amount, MOVED_FOR.cell(line), MOVED_AT.cell(line))
