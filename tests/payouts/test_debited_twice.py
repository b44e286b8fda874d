"""Payouts that the bank debits twice, and sends back once: their merchants have been paid."""

from collections.abc import Callable

import pytest

from payouts.bank import importing
from payouts.bank.same_money import _is_left, refuse_return_of_either
from payouts.contradictions import contradictions_of
from payouts.errors import BankEntryUnfit
from payouts.models import BankEntry, BankEntryKind, Payout, PayoutBatch
from tests.lone_index import leave_only
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
from tests.payouts.bank_rows import stored

pytestmark = pytest.mark.django_db
Pair = tuple[Payout, Payout]
UETRS = ("5e6f1c1a-0b7e-4c55-9d7f-0c1de0a40001", "5e6f1c1a-0b7e-4c55-9d7f-0c1de0a40002")


def alone(payout: Payout, reference: str) -> str:
    return entry(payout.amount, order_of(payout), reference=reference)


def truncated(payout: Payout, reference: str) -> str:
    return entry(payout.amount, order_of(payout)[:16], reference=reference)


def with_its_run(payout: Payout, reference: str) -> str:
    return entry(2050, details=batch_details(payout.batch), reference=reference)


def run_comes_back(payout: Payout) -> str:
    back = {"direction": "CRDT", "reversal": True, "reference": "RTN 1"}
    return entry(2050, details=batch_details(payout.batch), **back)


def is_held_for_having_been_paid() -> bool:
    return sum("debited this payout twice" in each for each in waiting_entries()) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (with_its_run, with_its_run),
        (alone, with_its_run),
        (with_its_run, alone),
        (alone, truncated),
    ],
)
def test_what_comes_back_is_no_return_however_the_two_were_booked(
    sent_pair: Pair, first: Callable[..., str], second: Callable[..., str]
) -> None:
    """Only a second debit that named the payout itself, in full, was counted."""
    payout, _ = sent_pair
    read(statement(first(payout, "TRN 1")))
    read(statement(second(payout, "TRN 2"), message_id="M-2", number="2"))

    read(statement(returned(payout), message_id="M-3", number="3"))

    assert statuses_of([payout]) == ["paid"]
    assert is_held_for_having_been_paid()


def test_a_run_that_was_debited_twice_does_not_come_back_as_one(sent_pair: Pair) -> None:
    payout, _ = sent_pair
    read(statement(with_its_run(payout, "TRN 1"), with_its_run(payout, "TRN 2")))

    read(statement(run_comes_back(payout), message_id="M-2", number="2"))

    assert statuses_of(sent_pair) == ["paid", "paid"]
    assert is_held_for_having_been_paid()


@pytest.mark.parametrize("number", range(3))
def test_a_statement_may_begin_with_what_came_back(sent_pair: Pair, number: int) -> None:
    """Entries were looked at in an order of chance: the return often before both debits."""
    payout, _ = sent_pair
    debits = [alone(payout, f"TRN {number}1"), alone(payout, f"TRN {number}2")]

    read(statement(returned(payout, reference=f"RTN {number}"), *debits))

    assert statuses_of([payout]) == ["paid"]
    assert is_held_for_having_been_paid()


def test_a_run_debited_again_holds_back_whom_it_came_back_for(sent_pair: Pair) -> None:
    """The merchant has the money in its balance, and from the bank: it must not leave once more."""
    payout, other = sent_pair
    read(statement(with_its_run(payout, "TRN 1"), returned(payout)))
    assert statuses_of(sent_pair) == ["returned", "paid"]

    read(statement(with_its_run(payout, "TRN 2"), message_id="M-2", number="2"))

    second = BankEntry.objects.unmatched().get().pk
    assert contradictions_of(payout.merchant_id, livemode=True) == {"BSD": second}
    assert contradictions_of(other.merchant_id, livemode=True) == {}


def test_what_comes_back_waits_beside_two_debits_that_wait_for_their_charges(
    sent_pair: Pair,
) -> None:
    """Only beside a debit that was matched did a second one count."""
    payout, _ = sent_pair
    debits = [entry(payout.amount + 5, order_of(payout), reference=f"TRN {n}") for n in (1, 2)]
    read(statement(*debits))

    read(statement(returned(payout), message_id="M-2", number="2"))

    assert statuses_of([payout]) == ["in_transit"]
    assert is_held_for_having_been_paid()


@pytest.mark.parametrize("number", range(3))
def test_debits_that_no_one_has_looked_at_speak_against_a_return(
    sent_pair: Pair, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An import that was killed leaves them to the next one, which reads them in any order."""
    payout, _ = sent_pair
    debits = [alone(payout, f"TRN {number}1"), alone(payout, f"TRN {number}2")]
    file = statement(returned(payout, reference=f"RTN {number}"), *debits)
    with monkeypatch.context() as killed:
        killed.setattr(importing, "match_entry", _die)
        with pytest.raises(KeyboardInterrupt):
            read(file)

    read(statement(message_id="M-2", number="2"))

    assert statuses_of([payout]) == ["paid"]
    assert is_held_for_having_been_paid()


def test_a_run_matched_without_an_order_does_not_count_beside_its_own_debit(
    sent_pair: Pair,
) -> None:
    """Of a refused order that left all the same, the run's debit is no second one."""
    payout, _ = sent_pair
    read(status_report(payout.batch, (order_of(payout), "RJCT"), group="PART"))
    payout.refresh_from_db()
    stored(batch=payout.batch)
    stored(payout=payout)

    refuse_return_of_either(BankEntryKind.RETURN, payout)

    stored(end_to_end_id=order_of(payout))
    with pytest.raises(BankEntryUnfit, match="debited this payout twice"):
        refuse_return_of_either(BankEntryKind.RETURN, payout)


@pytest.mark.parametrize(
    ("is_refused", "booked"), [(True, 2050), (False, 1250)], ids=["whole run", "other refused"]
)
def test_a_run_that_was_booked_with_an_order_is_a_debit_of_it(
    sent_pair: Pair, is_refused: bool, booked: int
) -> None:
    """Its own debit beside that is a second one: what comes back must not reach the balance."""
    payout, other = sent_pair
    refused = order_of(payout if is_refused else other)
    read(status_report(payout.batch, (refused, "RJCT"), group="PART"))
    payout.refresh_from_db()
    stored(batch=payout.batch, amount=booked)
    stored(payout=payout)

    with pytest.raises(BankEntryUnfit, match="debited this payout twice"):
        refuse_return_of_either(BankEntryKind.RETURN, payout)


def test_debits_that_name_nothing_are_not_of_a_run_of_an_earlier_release(sent_pair: Pair) -> None:
    """Such a run has no reference either: no debit that waits for a person may pass for its."""
    payout, _ = sent_pair
    PayoutBatch.objects.update(message_id="")
    payout.refresh_from_db()
    stored(amount=500)
    stored(amount=600)

    refuse_return_of_either(BankEntryKind.RETURN, payout)


def test_a_debit_that_both_kinds_of_file_report_is_one(sent_pair: Pair) -> None:
    """A notification of it may still wait for its charges when the statement has been matched."""
    payout, _ = sent_pair
    stored(payout=payout)
    stored("notification", end_to_end_id=order_of(payout))

    refuse_return_of_either(BankEntryKind.RETURN, payout)


def test_debits_of_two_transfers_are_two_whatever_file_reports_each(sent_pair: Pair) -> None:
    """Of a notification and a statement, each counted one, although all banks told them apart."""
    payout, _ = sent_pair
    stored("notification", payout=payout, uetr=UETRS[0])
    second = stored(payout=payout, uetr=UETRS[0])
    refuse_return_of_either(BankEntryKind.RETURN, payout)

    BankEntry.objects.filter(pk=second.pk).update(uetr=UETRS[1])

    with pytest.raises(BankEntryUnfit, match="debited this payout twice"):
        refuse_return_of_either(BankEntryKind.RETURN, payout)


def test_a_run_with_a_transfer_of_its_own_is_no_second_debit(sent_pair: Pair) -> None:
    """A bank may give a run a UETR of its own, beside that of each order."""
    payout, _ = sent_pair
    stored("notification", batch=payout.batch, amount=2050, uetr=UETRS[0])
    stored(payout=payout, uetr=UETRS[1])

    refuse_return_of_either(BankEntryKind.RETURN, payout)


@pytest.mark.postgres
def test_a_second_debit_is_looked_for_by_its_references(sent_pair: Pair) -> None:
    """Each payout of a run that came back was looked for in all entries that a bank ever sent."""
    payout, _ = sent_pair
    left = BankEntry.objects.filter(_is_left(payout))
    leave_only("bank_entry_left", BankEntry)

    plan = left.explain()

    assert "bank_entry_left" in plan
    assert "Seq Scan" not in plan


def _die(**_: object) -> bool:
    raise KeyboardInterrupt
