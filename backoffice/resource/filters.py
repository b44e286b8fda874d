"""Filters of lists. Each is part of the URL, and none of them counts rows.

Only these filters exist: Django's own look-ups on arbitrary fields are refused, because they would
reveal hidden values letter by letter.
"""

from collections.abc import Iterable, Iterator
from functools import reduce
from operator import or_
from typing import Any

from django.contrib.admin import ModelAdmin, SimpleListFilter
from django.db.models import QuerySet, TextChoices
from django.http import HttpRequest

from backoffice import formats
from backoffice.forms import default_mode
from core.clock import request_now

Rows = QuerySet[Any]
Choices = Iterable[tuple[str, str]]
MOST_DIGITS, MOST_UNKNOWN = 18, 40


class OfficeFilter(SimpleListFilter):
    """A filter with a name, shown above the list if it has options or is set in the URL.

    What it does not know is ignored, and the list says so: a URL may be typed, or saved long ago.
    """

    field_name = ""
    options: Choices = ()
    unknown = ""

    def __init__(self, request: HttpRequest, params: Any, model: Any, model_admin: Any) -> None:
        self.model = model
        super().__init__(request, params, model, model_admin)
        name = str(self.parameter_name)
        if asked := str(self.used_parameters.pop(name, "")):
            if taken := self.taken(asked):
                self.used_parameters[name] = taken
            unknown = [part for part in asked.split(",") if part not in taken.split(",")]
            self.unknown = formats.short_text(", ".join(unknown), MOST_UNKNOWN)

    def lookups(self, request: HttpRequest, model_admin: "ModelAdmin[Any]") -> Choices:
        return [(str(option), str(words)) for option, words in self.options]

    def taken(self, asked: str) -> str:
        """Return the part of a value in the URL that this filter accepts; empty if none is."""
        return asked if asked in dict(self.lookup_choices) else ""

    @property
    def notice(self) -> str:
        """What the list says of a value that is not known; empty without one."""
        return f" “{self.unknown}” is not known here, and was ignored." if self.unknown else ""

    def has_output(self) -> bool:
        return bool(self.lookup_choices or self.value() or self.unknown)

    def queryset(self, request: HttpRequest, queryset: Rows) -> Rows:
        value = self.value()
        return self.narrowed(queryset, str(value)) if value else queryset

    def narrowed(self, rows: Rows, value: str) -> Rows:
        """Return the rows that the chosen value leaves."""
        return rows.filter(**self.conditions(value))

    def conditions(self, value: str) -> dict[str, Any]:
        """Return what these rows match, as look-ups."""
        return {self.field_name: value}

    @property
    def chosen(self) -> str:
        """What is chosen, in words; empty if nothing is."""
        value = self.value()
        known = {str(option): str(words) for option, words in self.lookup_choices}
        return known.get(str(value), str(value)) if value else ""


class NumberFilter(OfficeFilter):
    """A filter by the number of a row without a public id."""

    def taken(self, asked: str) -> str:
        return row_number(asked)


def row_number(asked: str) -> str:
    """Return the number of a row as it stands in a URL; empty if it is none."""
    return asked if asked.isdecimal() and len(asked) <= MOST_DIGITS else ""


class SeveralFilter(OfficeFilter):
    """A filter that takes several values at once, as "completed,failed" in the URL."""

    none_chosen = "All"

    def taken(self, asked: str) -> str:
        known = dict(self.lookup_choices)
        return ",".join(part for part in asked.split(",") if part in known)

    def conditions(self, value: str) -> dict[str, Any]:
        return {f"{self.field_name}__in": self._values}

    def choices(self, changelist: Any) -> Iterator[Any]:
        """Yield the choices; each adds its value to the URL, or removes it."""
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
    """Effective statuses, as rows are displayed, whether or not a sweep has updated them."""

    title = "status"
    parameter_name = "status"

    def narrowed(self, rows: Any, value: str) -> Rows:
        return reduce(or_, (rows.shown_as(status, request_now()) for status in self._values))


def status_filter(statuses: type[TextChoices]) -> type[OfficeFilter]:
    """Return a filter by the statuses of rows that expire or end by themselves."""
    return type("StatusFilter", (StatusFilter,), {"options": _options(statuses.choices)})


def choice_filter(title: str, name: str, options: Any) -> type[OfficeFilter]:
    """Return a filter on a field with a few possible values, several of which may be chosen."""
    members = {"title": title, "parameter_name": name, "field_name": name}
    choices = {"options": _options(options)}
    return type(f"{name.title()}Filter", (SeveralFilter,), members | choices)


def _options(choices: Any) -> list[tuple[str, str]]:
    return [(str(value), str(label).replace("_", " ")) for value, label in choices]


class LinkFilter(OfficeFilter):
    """A filter by the id of another row, set by links; the id is shown abbreviated."""

    def taken(self, asked: str) -> str:
        return asked

    @property
    def chosen(self) -> str:
        return formats.short_code(super().chosen) if self.value() else ""


def link_filter(title: str, name: str, field_name: str = "") -> type[OfficeFilter]:
    """Return a filter that links from other pages set, such as the merchant of a list."""
    members = {"title": title, "parameter_name": name, "field_name": field_name or name}
    return type(f"{name.title()}Filter", (LinkFilter,), members)


class ModeFilter(OfficeFilter):
    """Live or test. The default is live, in development test."""

    title = "mode"
    parameter_name = "mode"
    field_name = "livemode"
    options = (("live", "live"), ("test", "test"), ("both", "live and test"))

    def value(self) -> str:
        return mode_of(str(super().value()))

    def conditions(self, value: str) -> dict[str, Any]:
        # Both are named, too: indexes of a merchant's rows begin with the mode.
        modes = {"both": [True, False], "live": [True], "test": [False]}
        return {f"{self.field_name}__in": modes[value]}


def mode_of(text: str) -> str:
    """Parse the mode in a URL: live, test or both."""
    return text if text in ("live", "test", "both") else default_mode()


class BothModesFilter(ModeFilter):
    """Live and test by default, so that nothing that waits for someone is overlooked."""

    def value(self) -> str:
        return mode_of(str(OfficeFilter.value(self) or "both"))
