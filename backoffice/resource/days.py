"""Days in URLs, in the time zone of staff, and the filters by which lists show only theirs."""

from datetime import date, datetime, timedelta
from functools import reduce
from operator import or_
from typing import Any

from django.contrib.admin import ModelAdmin
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest, QueryDict
from django.utils import timezone
from django.utils.dateparse import parse_date

from backoffice import formats
from backoffice.figures import day_start, is_usual_day
from backoffice.interval_figures import ENDINGS
from backoffice.resource.catalog import CATALOG
from backoffice.resource.filters import MOST_UNKNOWN, Choices, OfficeFilter, Rows
from core.clock import epoch_milliseconds, request_now
from core.ids import TIME_CHARACTERS, base62
from ledger.models import HOUSE, Account


def days_asked(named: str, first: str, last: str) -> str:
    """Return the days as one value: a range of two dates, or else a name such as "today"."""
    return f"{first}..{last or first}" if first or last else named


def days_of(text: str, today: date) -> tuple[date, date] | None:
    """Parse "today", "last_month", "7", "2026-11-03" or "2026-11-03..2026-11-09".

    Returns the first day, and the day after the last; None if the text means no days.
    """
    if text in ("today", "yesterday"):
        first = today - timedelta(days=text == "yesterday")
        return first, first + timedelta(days=1)
    if len(text) <= 3 and text.isdecimal() and 0 < int(text) <= 366:
        return today - timedelta(days=int(text) - 1), today + timedelta(days=1)
    if text in ("this_month", "last_month"):
        return _month(today if text == "this_month" else today.replace(day=1) - timedelta(days=1))
    begin, _, end = text.partition("..")
    first_day, last_day = read_day(begin), read_day(end or begin)
    if first_day is None or last_day is None or last_day < first_day:
        return None
    return first_day, last_day + timedelta(days=1)


def fault_of_days(text: str) -> str:
    """Return what is wrong with a text that `days_of` returns None for, as part of a sentence."""
    begin, _, end = text.partition("..")
    if end and not begin:
        return f"the first day, before “{end}”, is missing"
    wrong = next((day for day in (begin, end or begin) if read_day(day) is None), "")
    return f"“{wrong}” is not a day" if wrong else f"“{end}” is before “{begin}”"


def with_fixed_days(query: QueryDict, today: date) -> QueryDict:
    """Replace relative days in a list's filters by dates: "today" is another day tomorrow."""
    fixed = query.copy()
    for name in ("day", "paid", "failed", "ended", "booked", "read", "leaves"):
        span = days_of(str(fixed.get(name, "")), today)
        if span is not None:
            del fixed[name]
            fixed[f"{name}_from"] = span[0].isoformat()
            fixed[f"{name}_to"] = (span[1] - timedelta(days=1)).isoformat()
    return fixed


def during(field: str, first: date, last: date) -> dict[str, datetime]:
    """Return the look-ups of an instant on the first day or later, and before the last."""
    return {f"{field}__gte": day_start(first), f"{field}__lt": day_start(last)}


def of_day(rows: QuerySet[Any], day: date | None) -> QuerySet[Any]:
    """Keep the rows whose id was created on a day; all of them without one."""
    return rows.filter(**ids_within(rows.model, day, day + timedelta(days=1))) if day else rows


def ids_within(model: type[Model], first: date, last: date) -> dict[str, str]:
    """Return the look-ups of ids created on the first day or later, and before the last."""
    prefix = CATALOG[model].prefix
    return {"id__gte": id_at(prefix, day_start(first)), "id__lt": id_at(prefix, day_start(last))}


def id_at(prefix: str, instant: datetime) -> str:
    """Return a lower bound for every id created at this instant or later."""
    return f"{prefix}_{base62(max(epoch_milliseconds(instant), 0), TIME_CHARACTERS)}"


def read_day(text: str) -> date | None:
    """Parse "2026-11-03" as a day on which payments may exist; None for anything else."""
    try:
        day = parse_date(text)
    except ValueError:
        return None
    return day if day and is_usual_day(day) else None


def _month(day: date) -> tuple[date, date]:
    first = day.replace(day=1)
    return first, (first + timedelta(days=31)).replace(day=1)


class DayFilter(OfficeFilter):
    """Created on a day or within a range of days, in the time zone of staff.

    Ids start with their creation time: a range of time is a range of ids, and needs no other index.
    An invalid day, such as 31 November, leaves no rows: an export, which does not say that a filter
    was ignored, would have them all.
    """

    title = "day"
    parameter_name = "day"
    options: Choices = (
        ("today", "today"),
        ("yesterday", "yesterday"),
        ("7", "the last 7 days"),
        ("30", "the last 30 days"),
        ("this_month", "this month"),
        ("last_month", "last month"),
    )
    takes_dates = True

    def __init__(self, request: HttpRequest, params: Any, model: Any, model_admin: Any) -> None:
        name = str(self.parameter_name)
        days = days_asked(*(params.pop(f"{name}{end}", [""])[-1] for end in ("", "_from", "_to")))
        if days:
            params[name] = [days]
        super().__init__(request, params, model, model_admin)
        if days and self.span is None:
            self.unknown = formats.short_text(days, MOST_UNKNOWN)

    def taken(self, asked: str) -> str:
        return asked if days_of(asked, timezone.localtime(request_now()).date()) else ""

    @property
    def notice(self) -> str:
        return f": {fault_of_days(self.unknown)}. Nothing is listed." if self.unknown else ""

    @property
    def span(self) -> tuple[date, date] | None:
        """The chosen range of days, without the last one."""
        return days_of(str(self.value() or ""), timezone.localtime(request_now()).date())

    @property
    def chosen(self) -> str:
        """The chosen days, by name or from the first to the last."""
        if self.span is None or self.value() in dict(self.options):
            return super().chosen
        days = [formats.day_text(day) for day in (self.span[0], self.span[1] - timedelta(days=1))]
        return " to ".join(dict.fromkeys(days))

    def queryset(self, request: HttpRequest, queryset: Rows) -> Rows:
        if self.unknown:
            return queryset.none()
        return queryset if self.span is None else self.of_days(queryset, *self.span)

    def of_days(self, rows: Rows, first: date, last: date) -> Rows:
        """Return the rows of the first day and later, before the last."""
        return rows.filter(**self.between(first, last))

    def between(self, first: date, last: date) -> dict[str, Any]:
        field = self.field_name
        return during(field, first, last) if field else ids_within(self.model, first, last)

    def conditions(self, value: str) -> dict[str, Any]:
        return self.between(*self.span) if self.span else {}


class PaidFilter(DayFilter):
    """Paid on a day, using the index of completed payments, which starts with mode and currency.

    A payment is created before it is paid, which limits the range of ids to scan.
    """

    title = "paid"
    parameter_name = "paid"
    field_name = "completed_at"

    def of_days(self, rows: Rows, first: date, last: date) -> Rows:
        before = id_at(CATALOG[rows.model].prefix, day_start(last))
        currencies = Account.objects.filter(owner=HOUSE).values("currency")
        return super().of_days(rows, first, last).filter(pk__lt=before, currency__in=currencies)


class FailedFilter(PaidFilter):
    """Failed on a day, using the index of failed payments."""

    title = "failed"
    parameter_name = "failed"
    field_name = "failed_at"


class OutcomeFilter(DayFilter):
    """Ended on a day in any way, with one index for each: the base of the success rate.

    Only links set it, together with a mode and a currency, with which these indexes start.
    """

    title = "ended"
    parameter_name = "ended"

    def lookups(self, request: HttpRequest, model_admin: "ModelAdmin[Any]") -> Choices:
        return list(self.options) if self.value() else []

    def of_days(self, rows: Rows, first: date, last: date) -> Rows:
        endings = (Q(**during(field, first, last)) for field in ENDINGS.values())
        return rows.filter(reduce(or_, endings))


def day_filter(field_name: str) -> type[OfficeFilter]:
    """Return a filter by the day of an indexed field."""
    return type("DayFilter", (DayFilter,), {"field_name": field_name})
