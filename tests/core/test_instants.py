"""Which day it is in a time zone, when it begins there, and how an instant is written: pure."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from core.clock import iso
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


@pytest.mark.parametrize(
    ("instant", "written"),
    [
        (datetime(2026, 3, 4, 5, 6, 7, 89_000, tzinfo=UTC), "2026-03-04T05:06:07.089Z"),
        (datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC), "2026-03-04T05:06:07.000Z"),
        (datetime(2026, 3, 4, 5, 6, 7, 999_999, tzinfo=UTC), "2026-03-04T05:06:07.999Z"),
        (datetime(1, 1, 1, tzinfo=UTC), "0001-01-01T00:00:00.000Z"),
        (
            datetime(2026, 12, 31, 20, tzinfo=timezone(timedelta(hours=-4))),
            "2027-01-01T00:00:00.000Z",
        ),
    ],
)
def test_an_instant_is_written_in_utc_to_the_millisecond(instant: datetime, written: str) -> None:
    assert iso(instant) == written
