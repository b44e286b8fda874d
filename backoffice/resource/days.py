"""Days as they appear in URLs, in the time zone of staff, and the rows of those days."""

from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import Model, QuerySet
from django.http import QueryDict
from django.utils.dateparse import parse_date

from backoffice.figures import day_start, is_usual_day
from backoffice.resource.catalog import CATALOG
from core.clock import epoch_milliseconds
from core.ids import TIME_CHARACTERS, base62


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


def within(rows: QuerySet[Any], first: date, last: date) -> QuerySet[Any]:
    """Keep the rows whose id was created on the first day or later, and before the last."""
    return rows.filter(**ids_within(rows.model, first, last))


def ids_within(model: type[Model], first: date, last: date) -> dict[str, str]:
    """Return the look-ups of the ids that such rows have."""
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
