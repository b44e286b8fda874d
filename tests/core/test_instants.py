"""Which day it is in a time zone, and when it begins there: pure."""

from datetime import UTC, date, datetime

import pytest

from core.instants import start_of_day, today_in


@pytest.mark.parametrize(
    ("time_zone", "today"),
    [
        ("America/Nassau", "2026-11-18"),
        ("UTC", "2026-11-19"),
        ("Pacific/Kiritimati", "2026-11-19"),
    ],
)
def test_a_day_is_that_of_the_calendar_on_the_wall(time_zone: str, today: str) -> None:
    now = datetime(2026, 11, 19, 4, 59, tzinfo=UTC)

    assert today_in(time_zone, now).isoformat() == today


def test_a_day_begins_at_midnight_there() -> None:
    assert start_of_day(date(2026, 11, 19), "America/Nassau") == datetime(
        2026, 11, 19, 5, tzinfo=UTC
    )
