"""What the bank has booked of single payouts is proven from its entries, both ways"""

from typing import Any

import pytest

from core.clock import utc_now
from ledger.models import Purpose
from ledger.services import accounts_for
from payouts.bank.booking_reconciliation import check_bookings
from payouts.models import BankEntry, Payout
from tests.payouts.bank_files import entry, order_of, read, statement
from tests.payouts.bank_rows import stored

FIELDS = [("booked_at", "debit"), ("return_booked_at", "return"), ("return_booked_at", "credit")]
PROVES_NOTHING: list[dict[str, Any]] = [
    {"source": "notification"},
    {"state": "unmatched", "resolved_at": None},
    {"kind": "settled"},
]


@pytest.mark.parametrize(("field", "kind"), FIELDS)
@pytest.mark.parametrize("other", PROVES_NOTHING, ids=str)
def test_what_is_noted_as_booked_stands_in_a_statement(
    sent_pair: list[Payout], field: str, kind: str, other: dict[str, Any]
) -> None:
    payout, beside = sent_pair
    noted = f"Payout {payout.pk} is noted as booked ({field}); no entry of a statement says so."
    told = f"Payout {payout.pk} was booked by the bank, which is not noted ({field})."
    stored(kind=kind, payout=beside)
    found = stored(**{"kind": kind, "payout": payout, "amount": 1_250, **other})
    assert told not in list(check_bookings())

    Payout.objects.update(**{field: utc_now()})
    assert noted in list(check_bookings())

    right = {"kind": kind, "source": "statement", "state": "matched", "resolved_at": utc_now()}
    BankEntry.objects.filter(pk=found.pk).update(**right)
    assert noted not in list(check_bookings())
    Payout.objects.update(**{field: None})
    assert told in list(check_bookings())


@pytest.mark.parametrize(("field", "kind"), FIELDS)
def test_the_booking_of_its_run_proves_a_payout_as_well(
    sent_pair: list[Payout], field: str, kind: str
) -> None:
    Payout.objects.update(**{field: utc_now()})
    assert sum("no entry of a statement says so" in words for words in check_bookings()) == 2

    stored(kind=kind, batch=sent_pair[0].batch, amount=2_050)

    assert not any("no entry of a statement says so" in words for words in check_bookings())


NOTED = "With a charge of the bank: {}."
MOVED: list[tuple[dict[str, Any], bool]] = [
    ({"amount": 1_250}, True),
    ({"amount": 1_249}, False),
    ({"amount": 1_251}, False),
    ({"amount": 1_300, "charge_amount": 50}, True),
    ({"amount": 1_250, "charge_amount": 50}, True),
    ({"amount": 1_301, "charge_amount": 50}, False),
    ({"amount": 1_200, "charge_amount": 50}, False),
    ({"amount": 1_300, "note": NOTED.format("BSD 0.50")}, True),
    ({"amount": 1_300, "note": NOTED.format("BSD 0.51")}, False),
    ({"amount": 1_300, "note": NOTED.format("USD 0.50"), "currency": "USD"}, False),
    ({"amount": 1_300, "note": NOTED.format("BSD 0.50"), "livemode": False}, False),
    ({"amount": 1_200, "note": NOTED.format("BSD -0.50")}, False),
    ({"amount": 1_250, "currency": "USD"}, False),
    ({"amount": 1_250, "livemode": False}, False),
    *(({"kind": kind, "amount": 1_250}, True) for kind in ("return", "credit", "settled")),
    *(({"kind": kind, "amount": 1_249}, True) for kind in ("return", "credit")),
    *(({"kind": kind, "amount": 1_251}, False) for kind in ("return", "credit", "settled")),
    # What says no amount, and what waits, says nothing of money.
    ({"kind": "settled", "amount": None, "currency": ""}, True),
    ({"amount": 1, "state": "unmatched", "resolved_at": None}, True),
]


@pytest.mark.parametrize(("values", "is_right"), MOVED, ids=str)
def test_an_entry_is_of_its_payouts_money(
    sent_pair: list[Payout], values: dict[str, Any], is_right: bool
) -> None:
    found = stored(payout=sent_pair[0], **values)

    words = f"Bank entry {found.pk} is not of the money of payout {sent_pair[0].pk}."
    assert list(check_bookings()).count(words) == (0 if is_right else 1)


def test_the_ledgers_account_of_the_bank_holds_what_is_paid(sent_pair: list[Payout]) -> None:
    payout, other = sent_pair
    read(statement(entry(1_250, order_of(payout))))
    for owner, currency in ((payout.merchant_id, "BSD"), ("house", "USD")):
        accounts_for((owner, Purpose.BANK), currency=currency, livemode=True)
    assert list(check_bookings()) == []

    Payout.objects.filter(pk=other.pk).update(status="paid", paid_at=utc_now())

    assert list(check_bookings()) == [
        "house bank BSD (live) holds 1250; the payouts that are paid make 2050."
    ]
    assert BankEntry.objects.get().payout == payout
