"""A statement of the bank that was not read shows where the next one does not open as it should"""

import pytest

from payouts.bank.missing_statements import missing_statements
from tests.payouts.bank_files import read, statement

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def account(settings):
    settings.PAYOUT_DEBTOR_ACCOUNT = "000777"


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
