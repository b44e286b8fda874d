"""Which statements cover the same time, so that an entry in both is one"""

from datetime import UTC, datetime, timedelta

import pytest

from payouts.bank.recognition import is_of_same_time
from payouts.models import BankEntry, BankStatement

NOON = datetime(2026, 1, 19, 12, tzinfo=UTC)
MOMENT = timedelta(microseconds=1)


def covers(start: float, end: float, number: str = "1") -> BankStatement:
    """A statement from so many hours after noon until so many."""
    start_at, end_at = (NOON + timedelta(hours=hours) for hours in (start, end))
    return BankStatement(number=number, start_at=start_at, end_at=end_at)


SAME = [
    # Two that begin at once are one, or pages of one if their numbers say so.
    (covers(0, 2, "1"), covers(0, 2, "1"), True),
    (covers(0, 2, "1"), covers(0, 3, "1"), True),
    (covers(0, 2, "1"), covers(0, 2, "2"), True),
    (covers(0, 2, "1"), covers(0, 2, "1 p2"), False),
    (covers(0, 2, "1 p2"), covers(0, 2, "1 p3"), False),
    (covers(0, 2, "1 p2"), covers(0, 2, "1 p2"), True),
    (covers(0, 2, "1 p2"), covers(0, 2, "2 p2"), True),
    (covers(0, 2, "1 px"), covers(0, 2, "1"), True),
    # Periods share more than an instant.
    (covers(0, 2), covers(1, 3, "2"), True),
    (covers(0, 3), covers(1, 2, "2"), True),
    (covers(0, 2), covers(2, 3, "2"), False),
    (covers(0, 2), covers(2, 3, "1"), False),
    (covers(0, 2), covers(3, 4, "1"), False),
    # An instant is shared with a period up to both of its ends.
    (covers(1, 1), covers(0, 2, "2"), True),
    (covers(2, 2), covers(0, 2, "2"), True),
    (covers(0, 0), covers(-1, 0, "2"), True),
    (covers(3, 3), covers(0, 2, "2"), False),
    (covers(3, 3), covers(0, 2, "1"), True),
    (covers(3, 3), covers(4, 4, "2"), False),
    (covers(3, 3), covers(4, 4, "1"), True),
]


@pytest.mark.parametrize("turned", [True, False])
@pytest.mark.parametrize(("one", "other", "is_same"), SAME)
def test_it_is_told_by_periods_and_numbers(
    one: BankStatement, other: BankStatement, is_same: bool, turned: bool
) -> None:
    first, second = (other, one) if turned else (one, other)

    assert is_of_same_time(BankEntry(statement=first), second) is is_same


def test_what_is_in_no_statement_may_be_of_any_time() -> None:
    assert is_of_same_time(BankEntry(), covers(0, 2))
    assert is_of_same_time(BankEntry(statement=covers(0, 2)), None)


def test_periods_that_share_a_moment_are_of_the_same_time() -> None:
    one, other = covers(0, 2), covers(2, 3, "2")
    one.end_at += MOMENT

    assert is_of_same_time(BankEntry(statement=one), other)
    assert is_of_same_time(BankEntry(statement=other), one)
