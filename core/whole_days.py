"""The days, months and years by which lists are counted, and how they make up a range."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Self

from core.instants import EARLIEST

# The look-ups of a range, as `start_date` and `end_date` become them.
FROM, BEFORE = RANGE = ("created_at__gte", "created_at__lt")
DAY = timedelta(days=1)


@dataclass(frozen=True)
class WholeDays:
    """Whole days in UTC, from `first` on and before `end`."""

    first: datetime
    end: datetime

    @classmethod
    def within(cls, lookups: Mapping[str, Any], now: datetime) -> Self | None:
        """Return the whole days of a range, up to today; None if it has none.

        Nothing is older than `EARLIEST`, and hardly anything is from tomorrow: see `parts_around`.
        """
        first = _day_of(lookups.get(FROM, EARLIEST) + DAY - timedelta.resolution)
        end = min(_day_of(lookups.get(BEFORE, now + DAY)), _day_of(now + DAY))
        return cls(first, end) if first < end else None

    def parts_around(self, lookups: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the look-ups of the parts of a range before and after these days."""
        before, after = {**lookups, BEFORE: self.first}, {**lookups, FROM: self.end}
        starts_within = lookups.get(FROM, EARLIEST) < self.first
        return [before] * starts_within + [after] * (lookups.get(BEFORE) != self.end)

    def periods(self) -> list[str]:
        """Return the fewest years, months and days that make them up."""
        found, at, end = [], self.first.date(), self.end.date()
        while at < end:
            name, following = next(it for it in _longest_first(at) if it[1] <= end)
            found.append(name)
            at = following
        return found


def _day_of(instant: datetime) -> datetime:
    return instant.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def _longest_first(day: date) -> list[tuple[str, date]]:
    """Return each period that begins with a day, longest first, and the day after it."""
    year, month = day.replace(month=1, day=1), day.replace(day=1)
    following = (month + timedelta(days=31)).replace(day=1)
    periods = [(day.isoformat(), day + DAY)]
    if day == month:
        periods.insert(0, (f"{day:%Y-%m}", following))
    if day == year:
        periods.insert(0, (f"{day:%Y}", year.replace(year=year.year + 1)))
    return periods
