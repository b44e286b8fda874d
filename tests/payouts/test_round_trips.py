"""A run that the bank has booked whole, though it refused a part: whichever file is read first"""

from itertools import permutations

import pytest

from core.clock import utc_now
from ledger.models import Purpose
from payouts.bank.booking_reconciliation import check_bookings
from payouts.bank.by_hand import match_batch_by_hand, match_by_hand
from payouts.bank.position import positions
from payouts.errors import BankEntryUnfit
from payouts.models import BankEntry, Payout
from payouts.services import record_failed
from tests.ledger.funding import problems
from tests.payouts.bank_files import (
    batch_details,
    entry,
    order_of,
    read,
    returned,
    statement,
    status_report,
    statuses_of,
    waiting_entries,
)
from tests.payouts.merchant_balance import held

STAFF = "staff:ann"


def refused(pair):
    return status_report(pair[0].batch, (order_of(pair[1]), "RJCT"), group="PART")


def booked(pair, *, itemized=False, amount=2050):
    parts = [(order_of(payout), payout.amount) for payout in pair] if itemized else []
    details = batch_details(pair[0].batch, *parts)
    return statement(entry(amount, details=details), message_id="M-D", number="D")


def came_back(pair):
    return statement(returned(pair[1]), message_id="M-C", number="C")


def difference():
    return positions(livemode=True)[0].difference


def is_settled(pair):
    """The first is paid, the money of the second is the merchant's again, all is explained."""
    assert waiting_entries() == []
    first, second = statuses_of(pair)
    assert first == "paid"
    assert second in ("failed", "returned")
    for payout, balance in zip(pair, (0, 800), strict=True):
        assert held(payout.merchant, Purpose.MERCHANT, livemode=True) == balance
    assert difference() == 0
    assert [*check_bookings(), *problems()] == []


@pytest.mark.parametrize("itemized", [False, True])
@pytest.mark.parametrize("order", list(permutations(range(3))), ids=str)
def test_the_order_of_the_files_makes_no_difference(sent_pair, order, itemized):
    files = (refused(sent_pair), booked(sent_pair, itemized=itemized), came_back(sent_pair))

    for number in order:
        read(files[number])

    is_settled(sent_pair)


def test_in_one_statement(sent_pair):
    read(refused(sent_pair))

    whole = entry(2050, details=batch_details(sent_pair[0].batch))
    read(statement(whole, returned(sent_pair[1]), opening=5000, closing=3750))

    is_settled(sent_pair)


def test_with_a_charge(sent_pair):
    inside = "<Chrgs><Rcrd><Amt Ccy='BSD'>0.50</Amt><ChrgInclInd>true</ChrgInclInd></Rcrd></Chrgs>"
    read(refused(sent_pair))

    whole = entry(2100, details=inside + batch_details(sent_pair[0].batch))
    read(statement(whole, returned(sent_pair[1])))

    is_settled(sent_pair)


def test_until_it_comes_back_it_waits_with_what_is_to_be_done(sent_pair):
    read(refused(sent_pair))

    read(booked(sent_pair))

    [problem] = waiting_entries()
    assert f"payout {sent_pair[1].pk} is failed" in problem
    assert difference() == -2050


def test_other_money_does_not_bring_it_back(sent_pair):
    read(refused(sent_pair))
    read(statement(entry(800, direction="CRDT"), message_id="M-O", number="O"))

    read(booked(sent_pair))

    assert any(f"payout {sent_pair[1].pk} is failed" in each for each in waiting_entries())


def test_two_people_may_say_that_it_will_come_back(sent_pair):
    read(refused(sent_pair))
    read(booked(sent_pair))

    match_batch_by_hand(
        entry_id=BankEntry.objects.unmatched().get().pk,
        batch_id=sent_pair[0].batch_id,
        actor=STAFF,
        now=utc_now(),
    )

    assert statuses_of(sent_pair) == ["paid", "failed"]
    assert difference() == -800
    assert list(check_bookings()) == []
    read(came_back(sent_pair))
    is_settled(sent_pair)


def test_it_may_come_back_under_no_name(sent_pair):
    read(refused(sent_pair))
    read(booked(sent_pair))
    read(statement(entry(800, reference="IN", direction="CRDT"), message_id="M-C", number="C"))

    match_by_hand(
        entry_id=BankEntry.objects.get(kind="credit").pk,
        payout_id=sent_pair[1].pk,
        actor=STAFF,
        now=utc_now(),
    )
    read(status_report(sent_pair[0].batch, message_id="S-2"))

    is_settled(sent_pair)


def test_a_return_of_what_was_refused_and_never_left_waits(sent_pair):
    read(refused(sent_pair))
    read(booked(sent_pair, amount=1250))

    read(came_back(sent_pair))

    assert waiting_entries() == [f"The bank says return, but payout {sent_pair[1].pk} is failed."]


def test_what_never_left_has_made_no_round_trip(sent_pair):
    """It was never ordered: staff had recorded it as failed while it was scheduled."""
    payout = sent_pair[1]
    record_failed(payout_id=payout.pk, code="x", message="", actor=STAFF, now=utc_now())
    Payout.objects.filter(pk=payout.pk).update(batch=None)
    read(statement(entry(800, reference="?")))

    with pytest.raises(BankEntryUnfit, match="is failed"):
        match_by_hand(
            entry_id=BankEntry.objects.unmatched().get().pk,
            payout_id=payout.pk,
            actor=STAFF,
            now=utc_now(),
        )


def test_a_run_comes_back_whole(sent_pair):
    whole = batch_details(sent_pair[0].batch)
    read(statement(entry(2050, details=whole)))

    back = entry(2050, details=whole, direction="CRDT", reversal=True, reference="R")
    read(statement(back, message_id="M-2", number="2"))

    assert waiting_entries() == []
    assert statuses_of(sent_pair) == ["returned", "returned"]
    assert difference() == 0


@pytest.mark.parametrize("amount", [1250, 2050])
def test_what_comes_back_of_a_run_in_part_refused_waits(sent_pair, amount):
    """It could be what was refused, or all but that."""
    read(refused(sent_pair))
    whole = batch_details(sent_pair[0].batch)
    read(statement(entry(1250, details=whole)))

    back = entry(amount, details=whole, direction="CRDT", reversal=True, reference="R")
    read(statement(back, message_id="M-2", number="2"))

    assert waiting_entries() == [
        "An order of the run was refused: ask the bank which one came back."
    ]
    assert statuses_of(sent_pair) == ["paid", "failed"]
