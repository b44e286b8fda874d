"""Payouts, runs for the bank, bank accounts and holidays."""

from collections import Counter
from datetime import datetime

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.utils.html import format_html

from backoffice import formats
from backoffice.admin.bank_entry_actions import IMPORT_ACTIONS, RETURN_ACTIONS
from backoffice.admin.movements import composition_table, explanation_tables
from backoffice.admin.office import OfficeAdmin
from backoffice.admin.payout_actions import (
    HOLIDAY_ACTIONS,
    HOLIDAY_LIST_ACTIONS,
    PAYOUT_ACTIONS,
    RUN_ACTIONS,
)
from backoffice.page_parts import SupportAnswer, Table
from backoffice.pages.export import bank_file_page
from backoffice.resource.filters import (
    DayFilter,
    ModeFilter,
    Rows,
    choice_filter,
    link_filter,
)
from backoffice.resource.list_filters import MerchantFilter
from backoffice.resource.page_urls import address_of, page_of, page_to_open
from backoffice.resource.shown import (
    Actor,
    Amount,
    Field,
    Id,
    Instant,
    Reference,
    with_link,
)
from backoffice.resource.tables import Related
from backoffice.resource.usual_fields import AMOUNT, CREATED, MERCHANT, MODE, STATUS
from backoffice.roles import Right
from backoffice.services.payouts import runs_waiting
from ledger.models import TransferKind
from merchants.statuses import MerchantStatus
from payouts.batches import entry_of_unknown_file
from payouts.continuity import is_shut
from payouts.contradictions import contradiction_of
from payouts.models import (
    BankEntry,
    BankHoliday,
    Payout,
    PayoutBatch,
    PayoutOrigin,
    StatementLine,
)
from payouts.statuses import ENDED_UNPAID, PayoutStatus

SHOWN = 50
GIVEN_BACK = (TransferKind.PAYOUT_RETURNED, TransferKind.PAYOUT_REVERSED)
NEVER_ARRIVED = ENDED_UNPAID | {PayoutStatus.CANCELED}
TO = Field("To", lambda payout: str(payout.bank_account))
ORIGINS = {
    PayoutOrigin.SCHEDULE: "the schedule",
    PayoutOrigin.API: "the merchant, by API",
    PayoutOrigin.STAFF: "staff",
}
LEAVES = Field(
    "Leaves", lambda payout: None if payout.status == PayoutStatus.CANCELED else payout.send_date
)
EXPECTED = Field(
    "Expected", lambda payout: None if payout.status in NEVER_ARRIVED else payout.arrival_date
)


class LeavesFilter(DayFilter):
    """Scheduled to leave on a day; payouts that have left are not in the index."""

    title = "leaves"
    parameter_name = "leaves"
    options = (("today", "today"),)

    def queryset(self, request: HttpRequest, queryset: Rows) -> Rows:
        if self.span is None:
            return queryset
        scheduled = queryset.filter(status=PayoutStatus.SCHEDULED)
        return scheduled.filter(send_date__gte=self.span[0], send_date__lt=self.span[1])


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
    row_actions = (*PAYOUT_ACTIONS, *RETURN_ACTIONS)
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
        tone = formats.tone(row.status)
        if row.status == PayoutStatus.SCHEDULED:
            entry = contradiction_of(row)
            return SupportAnswer(
                [f"{_HELD} {entry}." if entry else _leaves(row, now)], "wait" if entry else tone
            )
        words = {
            PayoutStatus.IN_TRANSIT: f"On its way to the bank; {_due(row, now)}.",
            PayoutStatus.PAID: f"Paid on {formats.moment(row.paid_at)}.",
            PayoutStatus.FAILED: f"Failed: {_reason(row)}",
            PayoutStatus.RETURNED: f"The bank sent it back: {_reason(row)}",
            PayoutStatus.CANCELED: "Canceled. The money went back to the merchant's balance.",
        }
        back = [_back(row, now)] if row.status in ENDED_UNPAID else []
        return SupportAnswer([words[PayoutStatus(row.status)], *back], tone)


def why_none_leaves(*, livemode: bool, now: datetime) -> str:
    """Say why no payout of a mode leaves at present; empty if they do, as those of tests do."""
    if not livemode:
        return ""
    if is_shut(now=now):
        return (
            "No live payout leaves for now: the database was restored, and first has to be compared"
            " with the bank."
        )
    entry = entry_of_unknown_file(livemode=livemode)
    words = (
        "No live payout leaves before {} is explained: it names a file of ours that is unknown"
        " here."
    )
    return format_html(words, formats.link("a bank entry", page_to_open(entry))) if entry else ""


def _leaves(payout: Payout, now: datetime) -> str:
    day = formats.day_text(payout.send_date)
    if payout.merchant.status == MerchantStatus.SUSPENDED:
        return "It is held: the merchant is suspended."
    if payout.bank_account.closed_at:
        return (
            "Its bank account was closed: with the next run it fails, and the money goes back to"
            " the merchant's balance."
        )
    if shut := why_none_leaves(livemode=payout.livemode, now=now):
        return shut
    for run in runs_waiting().filter(lapses_at__gt=now):
        if payout.pk in run.arguments.get("payouts", ()):
            url, since = page_of(run), formats.clock(run.asked_at, now)
            words = 'It is in a <a href="{}">payout run</a> waiting for approval since {}.'
            return format_html(words, url, since)
    if payout.send_date < timezone.localtime(now).date():
        return f"It was due to leave on {day}, and waits for a payout run."
    return f"It leaves on {day}."


def _due(payout: Payout, now: datetime) -> str:
    was = "was " if payout.arrival_date < timezone.localtime(now).date() else ""
    return f"{was}due {formats.day_text(payout.arrival_date)}"


_HELD = (
    "It is held: the bank's record of an earlier payout of this merchant contradicts ours, so this"
    " one may contain money that was already paid out. Explain the bank entry"
)


def _back(payout: Payout, now: datetime) -> str:
    """Say where the money of a payout is that did not arrive."""
    at = formats.clock(payout.failed_at or payout.returned_at, now)
    went = f"The money went back to the merchant's balance ({at})"
    lines = StatementLine.objects.filter(
        transfer__reference=payout.pk,
        transfer__kind__in=GIVEN_BACK,
        statement__closed_at__isnull=False,
    )
    if line := lines.select_related("statement__payout").first():
        made = formats.clock(line.statement.closed_at, now)
        return with_link(
            f"{went}, and the next payout was made from that, {made}.", line.statement.payout
        )
    return (
        f"{went}, to go out with the merchant's next payout: check that the bank account is right."
    )


def _reason(payout: Payout) -> str:
    words = payout.failure_message.rstrip(".") or "no reason was given"
    return f"{words} ({payout.failure_code})." if payout.failure_code else f"{words}."


TOTAL, COUNT = Amount("Total", "total_amount"), Field("Payouts", "count")
MADE, FOR = Instant("Made", "created_at"), Field("For", "execution_date")
BY = Actor("By", "created_by")


class PayoutBatchAdmin(OfficeAdmin):
    model = PayoutBatch
    heading_format = "Payout run of {amount}"
    list_display = (MADE, TOTAL, COUNT, FOR, BY, MODE, Id("Run"))
    list_filter = (ModeFilter,)
    list_actions = (*RUN_ACTIONS, *IMPORT_ACTIONS)
    file_route = "file/<slug:form>/"
    file_right = Right.PAY_OUT
    related = (
        Related(Payout, "batch", filter_name="run", shown=SHOWN, order=("pk",)),
        Related(BankEntry, "batch", filter_name="run"),
    )

    def answer(self, row: PayoutBatch, now: datetime) -> SupportAnswer:
        """Count what the bank has answered, and say what is to be done until it has."""
        statuses = Counter(row.payouts.values_list("status", flat=True))
        paid, moving = statuses[PayoutStatus.PAID], statuses[PayoutStatus.IN_TRANSIT]
        words = [f"{paid:,} of {row.count:,} paid."]
        if unpaid := sum(statuses[status] for status in ENDED_UNPAID):
            words.append(f"{unpaid:,} refused or returned.")
        if moving:
            next_step = "the bank needs the file once, and what it reports is imported here."
            words.append(f"{moving:,} on the way to the bank: {next_step}")
        return SupportAnswer(words, "wait" if moving else "bad" if unpaid else "good")

    def files(self, row: PayoutBatch) -> list[tuple[str, str]]:
        forms = (("CSV for the bank", "csv"), ("ISO 20022 pain.001", "xml"))
        return [(words, address_of(PayoutBatch, "file", row.pk, form)) for words, form in forms]

    def file_response(
        self, request: HttpRequest, object_id: str, form: str = ""
    ) -> HttpResponseBase:
        """Respond with the file for the bank, which contains account numbers."""
        return bank_file_page(request, self.row_of(request, object_id), form)


DAY, NAME = Field("Day", "date"), Field("Name", "name")


class BankHolidayAdmin(OfficeAdmin):
    model = BankHoliday
    ordering = ("-date",)
    list_display = (DAY, NAME)
    list_filter = ()
    list_actions = HOLIDAY_LIST_ACTIONS
    row_actions = HOLIDAY_ACTIONS
