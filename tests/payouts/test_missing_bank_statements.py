"""A statement of the bank that was not read shows where the next one does not open as it should"""

from datetime import UTC, datetime, timedelta

import pytest

from payouts.bank.missing_statements import missing_statements
from payouts.models import BankFile, BankStatement
from tests.payouts.bank_files import read, statement

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("debtor_account")]


def say(number, opening, closing):
    read(statement(opening=opening, closing=closing, message_id=number, number=number))


def gaps():
    found = missing_statements("BSD", livemode=True)
    return [(each.after, each.before, each.amount) for each in found]


def test_it_is_between_the_two_that_do_not_join():
    say("S-1", 5000, 5000)
    say("S-3", 4200, 4200)
    say("S-4", 4200, 4200)
    say("S-6", 4250, 4250)

    assert gaps() == [("S-1", "S-3", -800), ("S-4", "S-6", 50)]


@pytest.mark.parametrize("pages", [[(5000, 5000), (5000, 5000)], [(5000, None), (None, 5000)]])
def test_there_is_none_where_each_goes_on_from_the_last(pages):
    for number, (opening, closing) in enumerate(pages):
        say(f"S-{number}", opening, closing)

    assert gaps() == []


def test_it_is_a_metric(client):
    say("S-1", 5000, 5000)
    say("S-3", 4200, 4200)

    assert b'bank_statements_missing{currency="BSD"} 1.0' in client.get("/metrics").content


DAY = timedelta(days=1)
FIRST = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def row():
    """Store a statement of a day, by its number."""
    file = BankFile.objects.create(
        source="statement",
        message_id="M-1",
        livemode=True,
        content_hash="0" * 64,
        created_at=FIRST,
        created_by="staff:ann",
    )

    def store(number, opening, closing, **values):
        made = {
            "currency": "BSD",
            "start_at": FIRST + number * DAY,
            "end_at": FIRST + (number + 1) * DAY,
            "entries_amount": 0 if None in (opening, closing) else closing - opening,
        }
        return BankStatement.objects.create(
            file=file,
            number=f"S-{number}",
            opening_amount=opening,
            closing_amount=closing,
            created_at=FIRST,
            **({"livemode": True} | made | values),
        )

    return store


def test_a_gap_says_what_moved_and_since_when(row):
    last = row(0, 500, 500)
    row(1, 420, 420)

    [gap] = missing_statements("BSD", livemode=True)

    assert (gap.currency, gap.after, gap.before) == ("BSD", "S-0", "S-1")
    assert (gap.amount, gap.since) == (-80, last.end_at)


@pytest.mark.parametrize("other", [{"currency": "USD"}, {"livemode": False}])
def test_statements_of_another_account_are_not_between(row, other):
    row(0, 500, 500)
    row(1, 90, 90, **other)
    row(2, 500, 500)

    assert gaps() == []


def test_they_follow_one_another_by_their_ends_then_their_starts_then_as_they_came(row):
    row(3, 500, 300, end_at=FIRST + 9 * DAY)
    row(1, 600, 600, end_at=FIRST + 2 * DAY)
    row(2, 600, 500, end_at=FIRST + 9 * DAY)
    row(0, 600, 600, end_at=FIRST + 3 * DAY)
    for number in (7, 8):
        row(number, 300, 300, start_at=FIRST + 8 * DAY, end_at=FIRST + 10 * DAY)

    assert gaps() == []
    row(9, 301, 301, start_at=FIRST + 8 * DAY, end_at=FIRST + 10 * DAY)
    assert gaps() == [("S-8", "S-9", 1)]


@pytest.mark.parametrize(
    ("middle", "found"),
    [
        ((None, None, -100), []),
        ((None, None, -99), [("S-1", "S-2", -1)]),
        ((None, 400, 7), []),
        ((500, None, -100), []),
        ((501, None, -101), [("S-0", "S-1", 1)]),
    ],
)
def test_a_page_without_a_balance_goes_on_from_the_one_before(row, middle, found):
    opening, closing, entries = middle
    row(0, 500, 500)
    row(1, opening, closing, entries_amount=entries)
    row(2, 400, 400)

    assert gaps() == found


def test_what_no_balance_is_known_of_has_no_gap(row):
    row(0, None, None, entries_amount=-100)
    row(1, 500, 500)

    assert gaps() == []


def test_the_newest_four_hundred_are_looked_at(row):
    row(0, 1, 1)
    for number in range(1, 401):
        row(number, 500, 500)
    assert gaps() == []

    row(1_000, 501, 501)

    assert gaps() == [("S-400", "S-1000", 1)]
