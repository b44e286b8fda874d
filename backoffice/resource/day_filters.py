"""Filters of lists by days, in the time zone of staff: created, paid, failed or ended on them."""

from datetime import date, timedelta
from functools import reduce
from operator import or_
from typing import Any

from django.contrib.admin import ModelAdmin
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone

from backoffice import formats
from backoffice.ending_counts import ENDINGS
from backoffice.figures import day_start
from backoffice.resource.catalog import CATALOG
from backoffice.resource.days import days_asked, days_of, during, fault_of_days, id_at, ids_within
from backoffice.resource.filters import MOST_UNKNOWN, Choices, OfficeFilter, Rows
from core.clock import request_now
from ledger.models import HOUSE, Account


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
