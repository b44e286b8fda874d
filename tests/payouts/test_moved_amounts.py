"""What the bank has moved beside what was ordered, to the cent"""

from typing import Any

import pytest

from payouts.bank.moved_amounts import (
    booked_with_charge,
    charge_in,
    is_amount_of,
    refuse_other_amount,
)
from payouts.errors import BankEntryUnfit
from payouts.models import BankEntry, BankEntryKind, Payout

RUN = [Payout(amount=1_250, currency="BSD"), Payout(amount=800, currency="BSD")]
DOLLARS = [Payout(amount=2_050, currency="USD")]


def moved(amount: int | None, kind: str = "debit", **values: Any) -> BankEntry:
    return BankEntry(**({"kind": kind, "amount": amount, "currency": "BSD"} | values))


@pytest.mark.parametrize(
    ("entry", "is_of"),
    [
        (moved(2_050), True),
        (moved(2_049), False),
        (moved(2_051), False),
        (moved(2_050, charge_amount=50), True),
        (moved(2_100, charge_amount=50), True),
        (moved(2_051, charge_amount=50), False),
        (moved(2_000, charge_amount=50), False),
        (moved(None), False),
    ],
)
def test_it_is_the_amount_with_or_without_the_stated_charge(entry: BankEntry, is_of: bool) -> None:
    assert is_amount_of(entry, RUN) is is_of


@pytest.mark.parametrize(
    ("entry", "payouts", "cents"),
    [
        (moved(2_051), RUN, 1),
        (moved(2_050), RUN, 0),
        (moved(2_049), RUN, 0),
        (moved(2_049, "return"), RUN, 1),
        (moved(2_049, "credit"), RUN, 1),
        (moved(2_050, "return"), RUN, 0),
        (moved(2_051, "credit"), RUN, 0),
        (moved(2_051, "settled"), RUN, 0),
        (moved(None, "return"), RUN, 0),
        (moved(0, "return"), RUN, 0),
        (moved(2_051, charge_amount=2_051), RUN, 0),
        (moved(2_051, charge_amount=2_050), RUN, 1),
        (moved(2_051), DOLLARS, 0),
        (moved(2_051, currency="USD"), DOLLARS, 1),
    ],
)
def test_what_a_person_may_take_for_a_charge(
    entry: BankEntry, payouts: list[Payout], cents: int
) -> None:
    assert charge_in(entry, payouts) == cents


@pytest.mark.parametrize(
    ("amount", "count", "charge"),
    [(2_051, 2, 1), (2_050, 2, 0), (2_849, 2, 799), (2_049, 1, 799), (1_251, 1, 1), (1_249, 1, 0)],
)
def test_a_run_is_booked_whole_where_that_is_enough(amount: int, count: int, charge: int) -> None:
    refused = Payout(amount=800, currency="BSD", status="failed")

    booked, found = booked_with_charge(moved(amount), [RUN[0], refused])

    assert (booked, found) == ([RUN[0], refused][:count], charge)


def test_a_charge_as_much_as_what_was_refused_is_none() -> None:
    refused = [Payout(amount=cents, currency="BSD", status="failed") for cents in (900, 800)]

    with pytest.raises(BankEntryUnfit, match="as much as an order that was refused, or more"):
        booked_with_charge(moved(2_050), [RUN[0], *refused])
    booked, charge = booked_with_charge(moved(2_049), [RUN[0], *refused])
    assert (booked, charge) == ([RUN[0]], 799)


NOT_ITS_MONEY = "The amount or the currency is not that of the order."
ONE = [Payout(amount=1_250, currency="BSD")]
REFUSED = [
    (moved(1_249), ONE, 0, NOT_ITS_MONEY),
    (moved(1_250, currency="USD"), ONE, 0, NOT_ITS_MONEY),
    (moved(1_251, "settled"), ONE, 0, NOT_ITS_MONEY),
    (moved(1_249, "rejected"), ONE, 0, NOT_ITS_MONEY),
    (moved(1_251, "return"), ONE, 0, NOT_ITS_MONEY),
    (moved(0), [], 0, NOT_ITS_MONEY),
    (moved(1_251), ONE, 0, "that left is BSD 0.01 more than the payout, as if"),
    (moved(1_249, "return"), ONE, 0, "that came back is BSD 0.01 less than the payout, as if"),
    (moved(2_051), RUN, 0, "that left is BSD 0.01 more than the payouts, as if"),
    (moved(2_049, "return"), RUN, 0, "It is part of a run of 2 payouts: ask the bank"),
    (moved(1_301), ONE, 50, "that left is BSD 0.01 more than the payout, as if"),
    (moved(1_199, "return"), ONE, 50, "that came back is BSD 0.01 less than the payout, as if"),
]


@pytest.mark.parametrize(("entry", "payouts", "charge", "words"), REFUSED)
def test_other_money_is_refused_with_what_may_explain_it(
    entry: BankEntry, payouts: list[Payout], charge: int, words: str
) -> None:
    with pytest.raises(BankEntryUnfit) as refusal:
        refuse_other_amount(entry, BankEntryKind(entry.kind), payouts, charge)

    assert words in refusal.value.details


@pytest.mark.parametrize(
    ("entry", "payouts", "charge"),
    [
        (moved(1_250), ONE, 0),
        (moved(1_250, charge_amount=50), ONE, 0),
        (moved(1_300, charge_amount=50), ONE, 0),
        (moved(1_300), ONE, 50),
        (moved(1_200, "return"), ONE, 50),
        (moved(2_050, "return"), RUN, 0),
        (moved(1_250, "settled"), ONE, 0),
        (moved(None, "settled", currency=""), ONE, 0),
    ],
)
def test_the_money_of_an_order_is_accepted(
    entry: BankEntry, payouts: list[Payout], charge: int
) -> None:
    refuse_other_amount(entry, BankEntryKind(entry.kind), payouts, charge)
