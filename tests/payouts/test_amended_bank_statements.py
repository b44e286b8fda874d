"""A statement that the bank amends: it takes the place of the one before, and both are kept"""

import pytest
import time_machine

from core.clock import utc_now
from payouts.bank.booking_reconciliation import check_bookings
from payouts.bank.by_hand import set_aside
from payouts.bank.missing_statements import missing_statements
from payouts.bank.position import positions
from payouts.errors import BankFileUnfit
from payouts.models import BankEntry, BankStatement
from tests.payouts.bank_files import entry, order_of, read, statement, statuses_of

LATER = {"message_id": "M-2", "written": "2026-01-21T08:00:00"}


def test_what_it_adds_is_read_and_what_it_keeps_is_known(sent_pair):
    paid, other = (entry(each.amount, order_of(each), reference=each.pk) for each in sent_pair)
    read(statement(paid, opening=5000, closing=3750))

    result = read(statement(paid, other, opening=5000, closing=2950, **LATER))

    assert (result.matched, result.stored.known) == (1, 1)
    assert statuses_of(sent_pair) == ["paid", "paid"]
    first, amended = BankStatement.objects.order_by("pk")
    assert (amended.amends, amended.closing_amount) == (first, 2950)
    assert list(BankStatement.objects.current()) == [amended]
    [position] = positions(livemode=True)
    assert position.difference == 0
    assert list(check_bookings()) == []


def test_the_next_one_goes_on_from_the_amended_one(sent_pair):
    fee = entry(500, reference="FEE")
    read(statement(opening=5000, closing=5000))
    read(statement(fee, opening=5000, closing=4500, **LATER))
    assert missing_statements("BSD", livemode=True) == []

    january = {"number": "2026-2", "start": "2026-01-20T23:59:59Z"}
    read(statement(opening=4500, closing=4500, message_id="M-3", **january))

    assert missing_statements("BSD", livemode=True) == []


def test_what_it_takes_out_is_explained_by_that(sent_pair):
    read(statement(entry(700, reference="FEE"), entry(40, reference="F2"), opening=5000))

    read(statement(entry(40, reference="F2"), opening=5000, **LATER))

    gone = BankEntry.objects.get(bank_reference="FEE")
    assert (gone.state, gone.note) == ("other", "Not in M-2 any more.")
    assert positions(livemode=True)[0].difference == -40


def test_without_what_was_matched_it_is_refused_whole(sent_pair):
    read(statement(entry(1250, order_of(sent_pair[0])), opening=5000))
    matched = BankEntry.objects.get()

    with pytest.raises(BankFileUnfit) as refusal:
        read(statement(opening=5000, **LATER))

    assert refusal.value.details == f"statement: is amended without {matched.pk}, which is matched"
    assert BankStatement.objects.count() == 1


def test_what_is_no_newer_is_refused(sent_pair):
    read(statement(entry(700, reference="FEE"), **LATER))
    waiting = BankEntry.objects.get()
    set_aside(entry_id=waiting.pk, note="The fee", actor="staff:ann", now=utc_now())

    for written in ("2026-01-21T08:00:00", "2026-01-20T22:00:00"):
        with pytest.raises(BankFileUnfit, match="and is no newer"):
            read(statement(message_id="M-1", written=written))

    BankStatement.objects.update(written_at=None)  # as earlier releases have stored it
    with pytest.raises(BankFileUnfit, match="and is no newer"):
        read(statement(message_id="M-3", written="2026-02-01T00:00:00"))


@pytest.mark.parametrize(
    ("dated", "refused"),
    [
        ({"written": "2026-03-21T09:00:00Z"}, False),
        ({"written": "2026-03-21T09:00:01Z"}, True),
        ({"end": "2026-03-21T09:00:00Z"}, False),
        ({"end": "2026-03-21T09:00:01Z"}, True),
        ({"written": "2099-01-01T00:00:00", "end": "2099-01-01T00:00:00Z"}, True),
    ],
)
def test_three_days_ahead_is_the_most(sent_pair, dated, refused):
    made_up = statement(opening=5000, closing=5000, **dated)
    with time_machine.travel("2026-03-18T09:00:00Z", tick=False):
        if refused:
            with pytest.raises(BankFileUnfit, match="statement: is dated in the future"):
                read(made_up)
        else:
            read(made_up)

    assert BankStatement.objects.count() == (0 if refused else 1)


def test_numbers_that_begin_anew_each_year_are_other_statements(sent_pair):
    paid, other = (entry(each.amount, order_of(each), reference=each.pk) for each in sent_pair)
    read(statement(paid, opening=5000, closing=3750, number="1", start="2025-01-01T00:00:00Z"))

    new_year = {"number": "1", "start": "2026-01-01T00:00:00Z", "message_id": "M-2"}
    read(statement(other, opening=3750, closing=2950, **new_year))

    assert statuses_of(sent_pair) == ["paid", "paid"]
    assert BankStatement.objects.current().count() == 2


def test_it_is_amended_as_often_as_the_bank_likes(sent_pair):
    fees = [entry(cents, reference=f"F{cents}") for cents in (40, 50, 60)]
    for count in (1, 2, 3):
        written = f"2026-01-2{count}T08:00:00"
        read(statement(*fees[:count], message_id=f"M-{count}", written=written))
    again = statement(*fees, message_id="M-9", written="2026-01-29T08:00:00")

    assert read(again).stored.known == 3

    first, second, third = BankStatement.objects.order_by("pk")
    assert (first.amends, second.amends, third.amends) == (None, first, second)
    assert list(BankStatement.objects.current()) == [third]
    assert BankEntry.objects.count() == 3


def test_what_a_person_has_explained_stays_so_when_the_bank_takes_it_out(sent_pair):
    read(statement(entry(700, reference="FEE")))
    fee = BankEntry.objects.get()
    set_aside(entry_id=fee.pk, note="The fee", actor="staff:ann", now=utc_now())

    read(statement(**LATER))

    fee.refresh_from_db()
    assert (fee.state, fee.note) == ("other", "The fee")
    assert BankStatement.objects.count() == 2
