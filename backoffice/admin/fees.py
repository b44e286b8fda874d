"""What the service has earned from all shops in some days, by the ledger."""

from datetime import date, timedelta
from typing import Any

from django.utils import timezone

from backoffice import formats
from backoffice.actions import Action, ActionContext, ActionResult, as_returned
from backoffice.figures import FEES_ADDED_UP, day_start, fees_between
from backoffice.forms import ActionForm, DateInputField, ModeField
from backoffice.page_parts import Table
from backoffice.roles import Right


class FeesForm(ActionForm):
    """The days, by default those of the last month, in the time zone of staff."""

    mode = ModeField()
    first_day = DateInputField()
    last_day = DateInputField()

    def prepare(self) -> None:
        last = self._today().replace(day=1) - timedelta(days=1)
        self.fields["first_day"].initial = last.replace(day=1).isoformat()
        self.fields["last_day"].initial = last.isoformat()

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        if cleaned["last_day"] < cleaned["first_day"]:
            self.add_error("last_day", "Enter a day that is not before the first.")
        elif cleaned["last_day"] > self._today():
            self.add_error("last_day", "Enter a day that is not after today.")
        return cleaned

    def _today(self) -> date:
        return timezone.localtime(self.now).date()


def _fees(context: ActionContext) -> ActionResult:
    data = context.data
    first, last = data["first_day"], data["last_day"]
    fees = fees_between(
        livemode=context.livemode,
        start=day_start(first),
        end=day_start(last + timedelta(days=1)),
    )
    so_far = ", so far" if last >= timezone.localtime(context.now).date() else ""
    days = f"{formats.day_text(first)} to {formats.day_text(last)}{so_far}, {data['mode']}"
    if fees is None:
        words = f"{days}: more than {FEES_ADDED_UP:,} movements, choose fewer days."
        return ActionResult(words, is_warning=True)
    headings = ["Currency", *map(formats.amount, ("Charged", "Returned with refunds", "Earned"))]
    rows = [_row(currency, *sums) for currency, sums in fees.items()]
    return ActionResult("", table=Table(f"Fees of all shops, {days}", headings, rows))


def _row(currency: str, charged: int, returned: int) -> list[Any]:
    amounts = (charged, returned, charged - returned)
    return [currency, *(formats.bare_amount(each, currency) for each in amounts)]


FEES_OF_ALL = Action(
    title="Fees of all shops",
    name="fees",
    right=Right.VIEW_LEDGER,
    form=FeesForm,
    service=_fees,
    message=as_returned,
    about="What was charged and returned in these days, both included, by the date of the ledger.",
    icon="percent",
)
