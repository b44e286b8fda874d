"""Days on which banks move money: neither weekends nor holidays in the table."""

from dataclasses import dataclass, field
from datetime import date, timedelta

from payouts.models import BankHoliday

ONE_DAY = timedelta(days=1)
FRIDAY = 4


@dataclass(frozen=True)
class BusinessDays:
    """The calendar of the banks. `holidays` are the days off other than weekends."""

    holidays: frozenset[date] = field(default_factory=frozenset)

    @classmethod
    def load(cls) -> "BusinessDays":
        """Load the holidays that staff maintain."""
        return cls(frozenset(BankHoliday.objects.values_list("date", flat=True)))

    def includes(self, day: date) -> bool:
        """Return whether banks work on this day."""
        return day.weekday() <= FRIDAY and day not in self.holidays

    def on_or_after(self, day: date) -> date:
        """Return the day itself, or the next one on which banks work."""
        while not self.includes(day):
            day += ONE_DAY
        return day

    def after(self, day: date) -> date:
        """Return the next day on which banks work."""
        return self.on_or_after(day + ONE_DAY)
