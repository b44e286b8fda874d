"""A match with the wrong payout or run is undone: the entry waits, and the books stay true"""

import pytest

from core.clock import utc_now
from ledger.models import Purpose
from payouts.bank.by_hand import match_batch_by_hand, match_by_hand, set_aside, undo_match
from payouts.bank.position import positions
from payouts.errors import BankEntryUnfit
from payouts.models import BankEntry, Payout
from payouts.services import record_returned
from tests.events import event_types
from tests.ledger.funding import problems
from tests.payouts.bank_files import (
    batch_details,
    entry,
    notification,
    order_of,
    read,
    returned,
    statement,
    status_report,
    statuses_of,
)
from tests.payouts.batching import batch_of, live_payout
from tests.payouts.merchant_balance import credit, held

STAFF = "staff:ann"
WRONG = "It was the rent"
FEE = (
    "<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd><SubFmlyCd>CHRG</SubFmlyCd></Fmly></Domn>"
    "</BkTxCd>"
)


def found(reference: str) -> BankEntry:
    return BankEntry.objects.get(bank_reference=reference)


def matched_wrongly(payout: Payout) -> BankEntry:
    """Match money of the same amount, which was not the payout's, with it."""
    read(statement(entry(payout.amount, reference="RENT")))
    told = found("RENT")
    return match_by_hand(entry_id=told.pk, payout_id=payout.pk, actor=STAFF, now=utc_now())


def undone(told: BankEntry) -> BankEntry:
    known = found(told.bank_reference)
    return undo_of(known, matched_with=known.payout_id or known.batch_id or "")


def undo_of(told: BankEntry, *, matched_with: str) -> BankEntry:
    return undo_match(
        entry_id=told.pk, matched_with=matched_with, cause=WRONG, actor=STAFF, now=utc_now()
    )


def open_parts() -> dict[str, int]:
    [position] = positions(livemode=True)
    assert position.difference == sum(part.amount for part in position.parts)
    return {part.words: part.amount for part in position.parts}


def test_an_entry_of_other_money_waits_again_and_the_payouts_own_books_it(sent_pair) -> None:
    payout = sent_pair[0]
    told = undone(matched_wrongly(payout))

    assert (told.state, told.payout, told.resolved_at, told.resolved_by) == (
        "unmatched", None, None, "",
    )  # fmt: skip
    assert told.problem == f"Was matched with {payout.pk}: {WRONG}"
    payout.refresh_from_db()
    assert (payout.status, payout.booked_at, payout.bank_reference) == ("paid", None, "")
    assert open_parts() == {"paid, not booked yet": 1250, "booked, not matched yet": -1250}
    assert problems() == []

    set_aside(entry_id=told.pk, note="The rent", actor=STAFF, now=utc_now())
    own = entry(1250, order_of(payout), reference="OWN")
    read(statement(own, message_id="M-2", number="2026-2"))

    payout.refresh_from_db()
    assert (payout.booked_at is None, payout.bank_reference) == (False, "OWN")
    assert open_parts() == {}
    assert event_types().count("payout.paid") == 1
    assert problems() == []


def test_what_waited_as_reported_before_is_matched_at_once(sent_pair) -> None:
    payout = sent_pair[0]
    told = matched_wrongly(payout)
    own = entry(1250, order_of(payout), reference="OWN")
    read(statement(own, message_id="M-2", number="2026-2"))
    assert (
        f"If a person matched {told.pk} with it wrongly, undo that match." in found("OWN").problem
    )

    undone(told)

    assert (found("OWN").payout, found("OWN").resolved_by) == (payout, STAFF)
    assert open_parts() == {"booked, not matched yet": -1250}


@pytest.mark.parametrize("with_run", [True, False])
def test_the_waiting_debit_of_the_whole_run_is_matched_at_once(sent_pair, with_run) -> None:
    payout, batch = sent_pair[0], sent_pair[0].batch
    if with_run:
        read(statement(entry(2050, reference="RENT")))
        told = found("RENT")
        match_batch_by_hand(entry_id=told.pk, batch_id=batch.pk, actor=STAFF, now=utc_now())
    else:
        told = matched_wrongly(payout)
    own = entry(2050, reference="OWN", details=batch_details(batch))
    read(statement(own, message_id="M-2", number="2026-2"))
    assert found("OWN").is_waiting

    undone(told)

    assert found("OWN").batch == batch
    assert open_parts() == {"booked, not matched yet": -told.booked_amount}
    assert problems() == []


@pytest.mark.parametrize("with_run", [True, False])
def test_the_reference_of_the_debit_that_books_a_payout_takes_the_place_of_the_wrong_one(
    sent_pair, with_run
) -> None:
    payout = sent_pair[0]
    read(notification(entry(1250, reference="RENT")))
    told = found("RENT")
    match_by_hand(entry_id=told.pk, payout_id=payout.pk, actor=STAFF, now=utc_now())
    whole = entry(2050, reference="OWN", details=batch_details(payout.batch))
    own = whole if with_run else entry(1250, order_of(payout), reference="OWN")
    read(statement(own, message_id="M-2"))

    undone(told)

    payout.refresh_from_db()
    assert (payout.bank_reference, payout.booked_at is None) == ("OWN", False)


def test_an_entry_without_a_reference_leaves_that_of_the_payout_alone(sent_pair) -> None:
    payout = sent_pair[0]
    read(statement(entry(1250, reference="")))
    told = BankEntry.objects.get()
    match_by_hand(entry_id=told.pk, payout_id=payout.pk, actor=STAFF, now=utc_now())

    undo_of(told, matched_with=payout.pk)

    payout.refresh_from_db()
    assert (payout.status, payout.bank_reference, payout.booked_at) == ("paid", "", None)


def test_a_request_that_another_match_has_overtaken_undoes_nothing(sent_pair) -> None:
    payout, other = sent_pair
    told = matched_wrongly(payout)

    with pytest.raises(BankEntryUnfit, match=f"since been matched with {payout.pk}"):
        undo_of(told, matched_with=other.pk)

    assert found("RENT").payout == payout


@pytest.mark.parametrize("told_by", [statement, notification])
def test_the_undone_match_of_a_charge_leaves_the_payments_own_reference(sent_pair, told_by) -> None:
    payout = sent_pair[0]
    read(told_by(entry(1250, order_of(payout), reference="OWN")))
    read(statement(entry(100, reference="OWN", details=FEE), message_id="M-2", number="2026-2"))
    charge = BankEntry.objects.get(amount=100)
    match_by_hand(entry_id=charge.pk, payout_id=payout.pk, actor=STAFF, now=utc_now())

    undo_of(charge, matched_with=payout.pk)

    payout.refresh_from_db()
    is_booked = told_by == statement
    assert (payout.bank_reference, payout.booked_at is not None) == ("OWN", is_booked)


def test_a_charge_for_a_payout_does_not_book_it(sent_pair) -> None:
    payout = sent_pair[0]
    told = matched_wrongly(payout)
    read(statement(entry(100, reference="FEE", details=FEE), message_id="M-2", number="2026-2"))
    match_by_hand(entry_id=found("FEE").pk, payout_id=payout.pk, actor=STAFF, now=utc_now())

    undone(told)

    payout.refresh_from_db()
    assert (payout.bank_reference, payout.booked_at) == ("", None)
    assert problems() == []


def test_a_refused_payout_is_not_booked_by_its_run_that_left_without_it(sent_pair) -> None:
    refused, other = sent_pair
    read(status_report(refused.batch, (order_of(refused), "RJCT")))
    run = entry(other.amount, reference="RUN", details=batch_details(refused.batch))
    read(statement(run, entry(refused.amount, reference="RENT"), returned(refused)))
    told = found("RENT")
    match_by_hand(entry_id=told.pk, payout_id=refused.pk, actor=STAFF, now=utc_now())

    undone(told)

    assert list(Payout.objects.exclude(booked_at=None)) == [other]
    assert problems() == []


def test_a_payout_that_the_bank_never_paid_goes_back_to_its_merchant(sent_pair) -> None:
    payout = sent_pair[0]
    told = matched_wrongly(payout)
    read(status_report(payout.batch, (order_of(payout), "RJCT")))

    undone(told)
    record_returned(payout_id=payout.pk, code="x", message="No", actor=STAFF, now=utc_now())
    set_aside(entry_id=told.pk, note="The rent", actor=STAFF, now=utc_now())

    assert open_parts() == {}
    assert held(payout.merchant, Purpose.MERCHANT, livemode=True) == 1250
    assert [event_types().count(f"payout.{name}") for name in ("paid", "failed")] == [1, 1]
    assert problems() == []


def test_the_debit_of_another_run_books_none_of_this_one(api, sent_pair) -> None:
    batch = sent_pair[0].batch
    read(statement(entry(2050, reference="RUN")))
    told = found("RUN")
    match_batch_by_hand(entry_id=told.pk, batch_id=batch.pk, actor=STAFF, now=utc_now())
    other = [live_payout(api, amount=2050), batch_of(livemode=True)][1]

    undone(told)

    assert set(Payout.objects.filter(batch=batch).values_list("booked_at", flat=True)) == {None}
    assert statuses_of(sent_pair) == ["paid", "paid"]
    match_batch_by_hand(entry_id=told.pk, batch_id=other.pk, actor=STAFF, now=utc_now())
    assert open_parts() == {"paid, not booked yet": 2050}
    assert problems() == []


def test_a_payout_of_the_run_that_has_an_entry_of_its_own_stays_booked(sent_pair) -> None:
    refused, other = sent_pair
    batch = refused.batch
    read(status_report(batch, (order_of(refused), "RJCT")))
    own = entry(refused.amount, order_of(refused), reference="OWN")
    read(statement(entry(other.amount, reference="RUN"), own, returned(refused)))
    match_batch_by_hand(entry_id=found("RUN").pk, batch_id=batch.pk, actor=STAFF, now=utc_now())

    undone(found("RUN"))

    rows = Payout.objects.filter(booked_at__isnull=False)
    assert [row.pk for row in rows] == [refused.pk]
    assert problems() == []


def test_no_match_is_undone_that_the_bank_has_made_or_that_is_final(sent_pair) -> None:
    payout, other = sent_pair
    read(statement(entry(1250, order_of(payout), reference="OWN"), returned(payout)))
    read(statement(entry(700, reference="FEE"), message_id="M-2", number="2026-2"))

    for name, why in (("OWN", "a person"), ("RTN 1", "a person"), ("FEE", "is unmatched")):
        with pytest.raises(BankEntryUnfit, match=why):
            undone(found(name))

    assert statuses_of([payout, other]) == ["returned", "in_transit"]
    assert found("OWN").payout == payout


def test_a_return_to_the_wrong_merchant_is_set_right_by_adjusting_both_balances(
    api, sent_pair
) -> None:
    payout, other = sent_pair[0], live_payout(api)
    batch_of()
    other.refresh_from_db()
    read(statement(*(entry(1250, order_of(each), reference=each.pk) for each in (payout, other))))
    back = entry(1250, direction="CRDT", reference="BACK")
    read(statement(back, message_id="M-2", number="2026-2"))
    told = found("BACK")
    match_by_hand(entry_id=told.pk, payout_id=payout.pk, actor=STAFF, now=utc_now())
    with pytest.raises(BankEntryUnfit, match="of money that left"):
        undone(told)

    credit(payout.merchant, -1250, livemode=True)
    credit(other.merchant, 1250, livemode=True)

    balances = [held(each.merchant, Purpose.MERCHANT, livemode=True) for each in (payout, other)]
    assert (balances, open_parts()) == ([0, 1250], {})
    assert problems() == []
