"""Filters of lists. Each lives in the address, and none counts anything.

Only what stands here can be asked: Django's own look-ups on any field are refused, since they
would answer questions about hidden ones, letter by letter.
"""

from collections.abc import Iterable, Iterator
from datetime import date, datetime, time, timedelta
from functools import reduce
from operator import or_
from typing import Any

from django.conf import settings
from django.contrib.admin import ModelAdmin, SimpleListFilter
from django.db.models import QuerySet, TextChoices
from django.http import HttpRequest, QueryDict
from django.utils import timezone
from django.utils.dateparse import parse_date

from backoffice.resource.catalog import CATALOG
from core.clock import epoch_milliseconds, request_now
from core.ids import TIME_CHARACTERS, base62
from ledger.models import HOUSE, Account

Rows = QuerySet[Any]
Choices = Iterable[tuple[str, str]]


class OfficeFilter(SimpleListFilter):
    """A filter by name, shown above the list where it has options or the address sets it."""

    field_name = ""
    options: Choices = ()

    def lookups(self, request: HttpRequest, model_admin: "ModelAdmin[Any]") -> Choices:
        value = request.GET.get(str(self.parameter_name), "")
        known = [(str(option), str(words)) for option, words in self.options]
        if value and value not in dict(known):
            known.append((value, value))
        return known

    def queryset(self, request: HttpRequest, queryset: Rows) -> Rows:
        value = self.value()
        return queryset.filter(**{self.field_name: value}) if value else queryset

    @property
    def chosen(self) -> str:
        """What is chosen, in words; empty where nothing is."""
        value = self.value()
        known = {str(option): str(words) for option, words in self.lookup_choices}
        return known.get(str(value), str(value)) if value else ""


class SeveralFilter(OfficeFilter):
    """A filter of which several values may be chosen at once: "completed,failed" in the address."""

    none_chosen = "All"

    def lookups(self, request: HttpRequest, model_admin: "ModelAdmin[Any]") -> Choices:
        return [(str(option), str(words)) for option, words in self.options]

    def queryset(self, request: HttpRequest, queryset: Rows) -> Rows:
        chosen = self._values
        return queryset.filter(**{f"{self.field_name}__in": chosen}) if chosen else queryset

    def choices(self, changelist: Any) -> Iterator[Any]:
        """Yield the choices, each of which adds its value or takes it away."""
        name = str(self.parameter_name)
        yield {
            "selected": not self.value(),
            "query_string": changelist.get_query_string(remove=[name]),
            "display": self.none_chosen,
        }
        for option, words in self.lookup_choices:
            rest = [value for value in self._values if value != option]
            is_chosen = option in self._values
            chosen = ",".join(rest if is_chosen else [*rest, str(option)])
            query = changelist.get_query_string({name: chosen} if chosen else {}, remove=[name])
            yield {"selected": is_chosen, "query_string": query, "display": words}

    @property
    def chosen(self) -> str:
        known = dict(self.lookup_choices)
        return ", ".join(str(known.get(value, value)) for value in self._values)

    @property
    def _values(self) -> list[str]:
        return list(filter(None, str(self.value() or "").split(",")))


class StatusFilter(SeveralFilter):
    """Statuses as rows are shown in them now, whether or not a sweep has been there."""

    title = "status"
    parameter_name = "status"

    def queryset(self, request: HttpRequest, queryset: Any) -> Rows:
        shown = [queryset.shown_as(status, request_now()) for status in self._values]
        return reduce(or_, shown) if shown else queryset


def status_filter(statuses: type[TextChoices]) -> type[OfficeFilter]:
    """Return a filter by the statuses of rows that end by themselves."""
    return type("StatusFilter", (StatusFilter,), {"options": _options(statuses.choices)})


def choice_filter(title: str, name: str, options: Any) -> type[OfficeFilter]:
    """Return a filter on a field that has one of a few values; several may be chosen."""
    members = {"title": title, "parameter_name": name, "field_name": name}
    choices = {"options": _options(options)}
    return type(f"{name.title()}Filter", (SeveralFilter,), members | choices)


def _options(choices: Any) -> list[tuple[str, str]]:
    return [(str(value), str(label).replace("_", " ")) for value, label in choices]


def link_filter(title: str, name: str, field_name: str = "") -> type[OfficeFilter]:
    """Return a filter that links from other pages set, such as the merchant of a list."""
    members = {"title": title, "parameter_name": name, "field_name": field_name or name}
    return type(f"{name.title()}Filter", (OfficeFilter,), members)


class ModeFilter(OfficeFilter):
    """Live or test; live where nothing is chosen, but test in development."""

    title = "mode"
    parameter_name = "mode"
    field_name = "livemode"
    options = (("live", "live"), ("test", "test"), ("both", "live and test"))

    def value(self) -> str:
        return mode_of(str(super().value()))

    def queryset(self, request: HttpRequest, queryset: Rows) -> Rows:
        # Both are named, too: indexes of a merchant's rows begin with the mode.
        modes = {"both": [True, False], "live": [True], "test": [False]}
        return queryset.filter(**{f"{self.field_name}__in": modes[self.value()]})


def mode_of(text: str) -> str:
    """Read a mode as the address has it: live, test or both."""
    return text if text in ("live", "test", "both") else default_mode()


def default_mode() -> str:
    """Return the mode that a list begins with."""
    return "test" if settings.DEVELOPMENT_MODE else "live"


class DayFilter(OfficeFilter):
    """Created on a day, or in the days up to today, in the time zone of staff.

    Ids begin with their time, so that a range of ids is a range of time, and needs no other index.
    """

    title = "day"
    parameter_name = "day"
    options = (
        ("today", "today"),
        ("yesterday", "yesterday"),
        ("7", "the last 7 days"),
        ("30", "the last 30 days"),
        ("this_month", "this month"),
        ("last_month", "last month"),
    )
    takes_dates = True

    def __init__(
        self, request: HttpRequest, params: Any, model: Any, model_admin: "ModelAdmin[Any]"
    ) -> None:
        name = str(self.parameter_name)
        days = days_asked(*(params.pop(f"{name}{end}", [""])[-1] for end in ("", "_from", "_to")))
        if days:
            params[name] = [days]
        super().__init__(request, params, model, model_admin)

    def lookups(self, request: HttpRequest, model_admin: "ModelAdmin[Any]") -> Choices:
        return list(self.options)

    def queryset(self, request: HttpRequest, queryset: Rows) -> Rows:
        span = days_of(str(self.value() or ""), timezone.localtime(request_now()).date())
        if span is None:
            return queryset
        first, last = span
        if not self.field_name:
            return within(queryset, first, last)
        return queryset.filter(
            **{f"{self.field_name}__gte": start_of(first), f"{self.field_name}__lt": start_of(last)}
        )


class PaidFilter(DayFilter):
    """Paid on a day, by the index of what was completed: one of each currency and mode.

    What was paid before an instant was created before it, which bounds the walk along the ids.
    """

    title = "paid"
    parameter_name = "paid"
    field_name = "completed_at"

    def queryset(self, request: HttpRequest, queryset: Rows) -> Rows:
        span = days_of(str(self.value() or ""), timezone.localtime(request_now()).date())
        if span is None:
            return queryset
        first, last = map(start_of, span)
        field = self.field_name
        rows = queryset.filter(**{f"{field}__gte": first, f"{field}__lt": last})
        currencies = Account.objects.filter(owner=HOUSE).values("currency")
        return rows.filter(
            pk__lt=id_at(CATALOG[queryset.model].prefix, last), currency__in=currencies
        )


class FailedFilter(PaidFilter):
    """Failed on a day, by the index of what failed."""

    title = "failed"
    parameter_name = "failed"
    field_name = "failed_at"


def day_filter(field_name: str) -> type[OfficeFilter]:
    """Return a filter by the day of a field that has an index."""
    return type("DayFilter", (DayFilter,), {"field_name": field_name})


def days_asked(named: str, first: str, last: str) -> str:
    """Return the days of an address: those between two dates, or else those with a name."""
    return f"{first}..{last or first}" if first else named


def days_of(text: str, today: date) -> tuple[date, date] | None:
    """Read "today", "last_month", "7", "2026-11-03" or "2026-11-03..2026-11-09" as days.

    The first is included, the last is not. None: no days.
    """
    if text in ("today", "yesterday"):
        first = today - timedelta(days=text == "yesterday")
        return first, first + timedelta(days=1)
    if len(text) <= 3 and text.isdecimal() and 0 < int(text) <= 366:
        return today - timedelta(days=int(text) - 1), today + timedelta(days=1)
    if text in ("this_month", "last_month"):
        return _month(today if text == "this_month" else today.replace(day=1) - timedelta(days=1))
    begin, _, end = text.partition("..")
    first_day, last_day = _day(begin), _day(end or begin)
    if first_day is None or last_day is None:
        return None
    return first_day, last_day + timedelta(days=1)


def with_fixed_days(query: QueryDict, today: date) -> QueryDict:
    """Return the filters of a list with days by their dates: "today" is another day tomorrow."""
    fixed = query.copy()
    for name in ("day", "paid", "failed"):
        span = days_of(str(fixed.get(name, "")), today)
        if span is not None:
            del fixed[name]
            fixed[f"{name}_from"] = span[0].isoformat()
            fixed[f"{name}_to"] = (span[1] - timedelta(days=1)).isoformat()
    return fixed


def _month(day: date) -> tuple[date, date]:
    first = day.replace(day=1)
    return first, (first + timedelta(days=31)).replace(day=1)


def within(rows: Rows, first: date, last: date) -> Rows:
    """Keep the rows whose id was made from the first day on, and before the last."""
    prefix = CATALOG[rows.model].prefix
    return rows.filter(pk__gte=id_at(prefix, start_of(first)), pk__lt=id_at(prefix, start_of(last)))


def id_at(prefix: str, instant: datetime) -> str:
    """Return what sorts before every id made at the instant or later."""
    return f"{prefix}_{base62(max(epoch_milliseconds(instant), 0), TIME_CHARACTERS)}"


def start_of(day: date) -> datetime:
    """Return the first moment of a day, in the time zone of staff."""
    return datetime.combine(day, time.min, tzinfo=timezone.get_current_timezone())


def _day(text: str) -> date | None:
    try:
        day = parse_date(text)
    except ValueError:
        return None
    return day if day and 2000 <= day.year < 9999 else None
