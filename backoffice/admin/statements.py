"""Statements requested by merchants and staff: their sums, and files for an accountant."""

from datetime import datetime
from typing import Any

from django.http import Http404, HttpRequest, HttpResponseBase, HttpResponseRedirect

from backoffice import formats
from backoffice.actions import Action, ActionContext, ActionResult, as_returned
from backoffice.admin.office import OfficeAdmin
from backoffice.forms import ActionForm, CurrencyCodeField, DateInputField, ModeField, SelectField
from backoffice.models import ExportForm, ExportRun
from backoffice.page_parts import SupportAnswer, Table
from backoffice.resource.days import DayFilter
from backoffice.resource.filters import ModeFilter
from backoffice.resource.list_filters import MerchantFilter
from backoffice.resource.page_urls import address_of, page_of
from backoffice.resource.shown import Amount, Badge, Field, Figure, Id
from backoffice.resource.usual_fields import CREATED, MERCHANT, MODE
from backoffice.roles import Right
from backoffice.services.statements import PERIODS, ask_for_statement, period_days, start_file
from backoffice.staff import staff_of
from backoffice.statement_files import SUM_WORDS, period_of, statement_days, sums_of
from core.clock import request_now
from ledger.models import Account, Purpose
from payouts.models import AccountStatement

DAYS_SHOWN = 31
DAYS_READ = 50_000


class StatementForm(ActionForm):
    mode = ModeField()
    period = SelectField(PERIODS)
    first_day = DateInputField(required=False)
    last_day = DateInputField(required=False)
    currency = CurrencyCodeField()
    form = SelectField(ExportForm.choices, label="File", initial=ExportForm.XLSX)

    def prepare(self) -> None:
        """Propose the currency of the merchant's money, if there is only one."""
        accounts = Account.objects.filter(owner=self.row.pk, purpose=Purpose.MERCHANT)
        currencies = set(accounts.values_list("currency", flat=True))
        if len(currencies) == 1:
            self.fields["currency"].initial = currencies.pop()

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        chosen = cleaned["first_day"], cleaned["last_day"]
        if cleaned["period"] != "days" and any(chosen):
            self.add_error("period", "Choose other days, or empty the two fields below.")
            return cleaned
        days = period_days(self.row, cleaned["period"], chosen, self.now)
        if days is None:
            self.add_error("first_day", "Enter the first and the last day, not after today.")
            return cleaned
        return cleaned | {"first_day": days[0], "last_day": days[1]}


def _ask(context: ActionContext) -> ActionResult:
    data = context.data
    statement, run = ask_for_statement(
        staff=context.staff,
        merchant=context.row,
        livemode=context.livemode,
        currency=data["currency"],
        days=(data["first_day"], data["last_day"]),
        form=ExportForm(data["form"]),
        now=context.now,
    )
    return ActionResult(_made(statement, run, context.now), url=page_of(run))


def _made(statement: AccountStatement, run: ExportRun, now: datetime) -> str:
    """Return what became of the request for a file: it is made, or there is one already."""
    if run.created_at == now:
        takes = " One up to this moment takes a minute." if statement.end_at == now else ""
        return f"The file is being made.{takes}"
    if run.finished_at is None:
        return "The file is being made already."
    when = formats.clock(run.created_at, now)
    return f"There is this file already, requested {when}: a new one would say the same."


STATEMENT = Action(
    title="Make statement",
    name="statement",
    right=Right.EXPORT,
    form=StatementForm,
    service=_ask,
    message=as_returned,
    about="All movements by ledger date, in the merchant's time zone, with sums that lead from the"
    " opening to the closing balance. A long one is made in the background.",
    icon="summarize",
)
FIRST = Field("First day", lambda row: period_of(row)[0])
LAST = Field("Last day", lambda row: period_of(row)[1])
LINES = Figure("Movements", "lines_count")
CLOSING = Amount("Closing", "closing_amount")


class AccountStatementAdmin(OfficeAdmin):
    model = AccountStatement
    when_empty = "A statement is made on the merchant's page."
    heading_format = "Statement of {row.merchant.name}"
    list_select_related = ("merchant",)
    list_display = (CREATED, MERCHANT, FIRST, LAST, Badge("Status", "status"), LINES, CLOSING, MODE)
    list_filter = (DayFilter, ModeFilter, MerchantFilter)
    indexed = frozenset({"merchant"})
    file_route = "file/<slug:form>/"
    details = (Id("Statement"), Field("Time zone", "merchant.time_zone"))

    def file_response(
        self, request: HttpRequest, row: AccountStatement, form: str
    ) -> HttpResponseBase:
        """Start the preparation of the file, and show its progress.

        Raises Http404, and as `start_file` does.
        """
        if form not in ExportForm.values:
            raise Http404
        staff, now = staff_of(request), request_now()
        run = start_file(staff=staff, statement=row, form=ExportForm(form), now=now)
        return HttpResponseRedirect(page_of(run))

    def is_changing(self, row: AccountStatement) -> bool:
        return row.ready_at is None

    def answer(self, row: AccountStatement, now: datetime) -> SupportAnswer:
        if row.ready_at is None:
            so_far = formats.counted(row.lines_count, "movement")
            return SupportAnswer([f"It is being made, {so_far} so far."], "wait")
        return SupportAnswer(["It adds up."], "good")

    def files(self, row: AccountStatement) -> list[tuple[str, str]]:
        forms = ExportForm.choices if row.ready_at else ()
        return [
            (words, address_of(AccountStatement, "file", row.pk, form)) for form, words in forms
        ]

    def tables(self, row: AccountStatement) -> list[Table]:
        if row.ready_at is None:
            return []
        pairs, heading = sums_of(row).items(), formats.amount(f"Amount, {row.currency}")
        sums = [(words, formats.bare_amount(amount, row.currency)) for words, amount in pairs]
        return [Table("Sums", ("What", heading), sums, is_first=True), *_days(row)]


def _days(statement: AccountStatement) -> list[Table]:
    """Show the days, if there are few enough lines to read for them."""
    if statement.lines_count > DAYS_READ:
        return []
    currency, days = statement.currency, list(statement_days(statement))
    shown = days[-DAYS_SHOWN:]
    moved = [name for name in SUM_WORDS if any(each.sums[name] for each in shown)]
    columns = ("Day", *map(formats.amount, (*(SUM_WORDS[name] for name in moved), "Balance")))
    rows = [
        (
            formats.day_text(each.day),
            *(
                formats.bare_amount(each.sums[name], currency) if each.sums[name] else ""
                for name in moved
            ),
            formats.bare_amount(each.closing_amount, currency),
        )
        for each in shown
    ]
    title = f"Day by day, in {currency}"
    if len(days) > DAYS_SHOWN:
        title += f": the last {DAYS_SHOWN} of {len(days)} days with movements"
    return [Table(title, columns, rows)]
