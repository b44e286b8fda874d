"""By which of its names two entries are the same money, and by which they are not"""

from typing import Any

import pytest

from payouts.bank.same_money import is_same_money, refuse_credited_elsewhere, refuse_duplicate
from payouts.errors import BankEntryUnfit
from payouts.models import BankEntry, BankEntryKind, Payout
from tests.payouts.bank_rows import stored

pytestmark = pytest.mark.django_db
Names = dict[str, Any]
# The whole booking has the name E. The payments in it may have names of their own.
E, FORMER = {"entry_reference": "E"}, {"bank_reference": "E"}
P1, P2 = ({**E, "bank_reference": name} for name in ("P1", "P2"))


def came_in(source: str, **values: Any) -> BankEntry:
    """Money that has come in and was credited; one that waits would have the same names."""
    row = {"kind": "credit", "amount": 2_000, "credited_to": "top_1"}
    return stored(source, **(row | values))


SAME: list[tuple[Names, Names, bool | None]] = [
    ({"uetr": "U"}, {"uetr": "U"}, True),
    ({"bank_reference": "P1"}, {"bank_reference": "P1"}, True),
    ({**P1, "transaction_id": "T"}, {**P2, "transaction_id": "T"}, True),
    ({"bank_reference": "S", "uetr": "U"}, {"bank_reference": "U"}, True),
    ({"bank_reference": "P1"}, {"bank_reference": "P2"}, False),
    (P1, P2, False),
    ({}, {}, None),
    ({"uetr": "U"}, {}, None),
    (E, {"entry_reference": "F"}, None),
    (E, {}, None),
    (E, E, True),
    (E, FORMER, True),
    (P1, E, True),
    (P1, FORMER, True),
    (P1, {**E, "bank_reference": "E"}, True),
]


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("one", "other", "is_same"), SAME)
def test_names_tell_or_do_not(one: Names, other: Names, is_same: bool | None, turned: bool) -> None:
    entries = came_in("notification", **one), came_in("statement", **other)

    assert is_same_money(*(reversed(entries) if turned else entries)) is is_same


ALONE: list[tuple[Names, bool]] = [
    (E, False),
    (P2, False),
    (FORMER, False),
    ({**E, "amount": 1_999}, True),
    ({**E, "kind": "return"}, True),
    ({"entry_reference": "F"}, True),
    ({"entry_reference": "F", "bank_reference": "E"}, True),
    ({"bank_reference": "F"}, True),
]


@pytest.mark.parametrize("source", ["notification", "statement"])
@pytest.mark.parametrize(("beside", "is_alone"), ALONE)
def test_the_name_of_the_booking_tells_of_an_amount_that_is_once_in_it(
    source: str, beside: Names, is_alone: bool
) -> None:
    first, second = came_in("notification", **E), came_in("statement", **E)
    came_in(source, **beside)

    assert is_same_money(first, second) is (True if is_alone else None)


SHARED: list[tuple[Names, Names, bool]] = [
    ({}, {}, False),
    ({"bank_reference": "P1"}, {"bank_reference": "P1"}, True),
    ({"bank_reference": "P1"}, {"bank_reference": "P2"}, False),
    ({"uetr": "U"}, {"bank_reference": "U"}, True),
    ({"transaction_id": "T"}, {"bank_reference": "P1", "transaction_id": "T"}, True),
    (E, E, True),
    (E, {"entry_reference": "F"}, False),
    (E, {}, False),
    (E, FORMER, True),
    (FORMER, E, True),
    (E, P2, True),
    ({**E, "bank_reference": "E"}, P2, True),
    # A payment with a name of its own is none with another.
    (P1, E, True),
    (P1, {**E, "bank_reference": "E"}, True),
    (P1, P2, False),
    (P1, {**E, "uetr": "U"}, False),
    (P1, {**E, "transaction_id": "T"}, False),
]


@pytest.mark.parametrize(("now", "before", "is_known"), SHARED)
def test_what_another_file_has_told_of_went_elsewhere(
    now: Names, before: Names, is_known: bool
) -> None:
    came_in("notification", **before)

    assert went_elsewhere(came_in("statement", **now)) is is_known


def went_elsewhere(entry: BankEntry) -> bool:
    try:
        refuse_credited_elsewhere(entry)
    except BankEntryUnfit as refusal:
        return "it went to top_1." in refusal.details
    return False


BESIDE: list[tuple[Names, bool]] = [
    ({**E, "message": "known"}, False),
    ({**E, "message": "known", "end_to_end_id": "X"}, True),
    ({**E, "message": "else"}, True),
    ({**E, "message": "known", "amount": 500}, True),
    ({"entry_reference": "F", "message": "known"}, True),
]


@pytest.mark.parametrize(("beside", "is_known"), BESIDE)
def test_a_payment_that_the_file_tells_of_beside_it_is_that_one(
    beside: Names, is_known: bool
) -> None:
    came_in("notification", **E, message="known")
    lost = came_in("statement", **E, message="lost")
    assert went_elsewhere(lost)

    came_in("statement", **beside)

    assert went_elsewhere(lost) is is_known


def test_money_that_a_run_got_back_may_be_said_to_be_of_a_payout_of_it(
    sent_pair: list[Payout],
) -> None:
    payout, batch = sent_pair[0], sent_pair[0].batch
    names = {"kind": "return", "bank_reference": "R", "amount": 1_250}
    stored("notification", batch=batch, **names)
    named = stored("statement", **names)

    refuse_duplicate(named, BankEntryKind.RETURN, payout)

    Payout.objects.filter(pk=payout.pk).update(batch=None)
    payout.refresh_from_db()
    with pytest.raises(BankEntryUnfit, match="it went to bat_"):
        refuse_duplicate(named, BankEntryKind.RETURN, payout)


def test_money_that_left_is_not_asked_where_it_was_credited(sent_pair: list[Payout]) -> None:
    came_in("notification", bank_reference="R", amount=1_250)
    left = stored("statement", bank_reference="R", amount=1_250)

    refuse_duplicate(left, BankEntryKind.DEBIT, sent_pair[0])
