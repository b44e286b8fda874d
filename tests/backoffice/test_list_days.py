"""The days of lists, in their addresses and in what is exported of them."""

from datetime import date, datetime

import pytest

from backoffice.resource.days import days_of, with_fixed_days

TODAY = date(2026, 11, 21)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("today", TODAY, date(2026, 11, 22)),
        ("yesterday", date(2026, 11, 20), TODAY),
        ("7", date(2026, 11, 15), date(2026, 11, 22)),
        ("2026-11-03", date(2026, 11, 3), date(2026, 11, 4)),
        ("2026-11-03..2026-11-09", date(2026, 11, 3), date(2026, 11, 10)),
    ],
)
def test_days_are_read(text: str, first: date, last: date) -> None:
    assert days_of(text, TODAY) == (first, last)


@pytest.mark.parametrize(
    "text",
    ["", "x", "0", "999", "9" * 5_000, "2026-13-40", "..", "0001-01-01", "2026-11-09..2026-11-03"],
)
def test_what_is_no_day_filters_nothing(text: str) -> None:
    assert days_of(text, TODAY) is None


def test_today_is_the_day_on_which_it_was_asked_for(rf) -> None:
    days = {"day": "last_month", "paid": "today", "booked": "yesterday", "read": "today"}
    query = rf.get("/", days | {"mode": "test"}).GET

    fixed = with_fixed_days(query, datetime(2026, 3, 1).date())  # noqa: DTZ001  # a day

    assert fixed.dict() == {
        "mode": "test",
        "day_from": "2026-02-01",
        "day_to": "2026-02-28",
        "paid_from": "2026-03-01",
        "paid_to": "2026-03-01",
        "booked_from": "2026-02-28",
        "booked_to": "2026-02-28",
        "read_from": "2026-03-01",
        "read_to": "2026-03-01",
    }
