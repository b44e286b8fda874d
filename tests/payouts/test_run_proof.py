"""What the bank has booked of a whole run is proven from its payouts, both ways"""

import pytest

from core.clock import utc_now
from core.ids import new_id
from payouts.bank.batch_bookings import check_batch_bookings
from payouts.bank.booking_reconciliation import check_bookings
from payouts.bank.by_hand import match_batch_by_hand
from payouts.models import BankEntry, Payout
from tests.payouts.bank_files import (
    batch_details,
    entry,
    notification,
    order_of,
    read,
    statement,
    status_report,
)

WHOLE = 2050


@pytest.fixture
def run(sent_pair):
    """A run of 1250 and 800 that is booked whole."""
    read(statement(entry(WHOLE, details=batch_details(sent_pair[0].batch))))
    assert list(check_bookings()) == []
    return sent_pair


@pytest.fixture
def without_one(sent_pair):
    """A run of which 800 was refused, and the rest is booked."""
    read(status_report(sent_pair[0].batch, (order_of(sent_pair[1]), "RJCT")))
    read(statement(entry(1250, details=batch_details(sent_pair[0].batch))))
    assert list(check_bookings()) == []
    return sent_pair


@pytest.mark.parametrize(
    "wrong",
    [
        {"amount": WHOLE - 1},
        {"amount": WHOLE + 1},
        {"amount": WHOLE + 1, "charge_amount": 2},
        {"amount": WHOLE + 1, "note": "With a charge of the bank: BSD 0.02."},
        {"currency": "USD"},
        {"livemode": False},
        {"kind": "return", "amount": WHOLE - 1},
    ],
)
def test_an_entry_of_a_run_is_of_its_money(run, wrong):
    BankEntry.objects.update(**wrong)

    found = BankEntry.objects.get()
    words = f"Bank entry {found.pk} is not of the money of run {run[0].batch_id}."
    assert words in list(check_bookings())


def test_a_notification_of_a_run_is_of_its_money_too(sent_pair):
    read(notification(entry(WHOLE, details=batch_details(sent_pair[0].batch))))
    assert list(check_bookings()) == []

    BankEntry.objects.update(amount=1250)

    [problem] = check_bookings()
    assert "is not of the money of run" in problem


@pytest.mark.parametrize(("amount", "more"), [(2100, 50), (1300, 50), (WHOLE + 1, 1)])
def test_a_charge_that_the_bank_does_not_name_was_seen_by_a_person(sent_pair, amount, more):
    batch = sent_pair[0].batch
    if amount < WHOLE:
        read(status_report(batch, (order_of(sent_pair[1]), "RJCT")))
    read(statement(entry(amount, details=batch_details(batch))))
    waiting = BankEntry.objects.unmatched().get()
    match_batch_by_hand(
        entry_id=waiting.pk,
        batch_id=batch.pk,
        charge_amount=more,
        actor="staff:ann",
        now=utc_now(),
    )
    assert list(check_bookings()) == []

    BankEntry.objects.filter(pk=waiting.pk).update(note="Asked the bank.")

    [problem] = check_bookings()
    assert problem == f"Bank entry {waiting.pk} is not of the money of run {batch.pk}."


def test_what_is_booked_with_its_run_is_noted(run):
    Payout.objects.filter(pk=run[1].pk).update(booked_at=None)

    assert list(check_bookings()) == [
        f"Payout {run[1].pk} was booked with its run, which is not noted (booked_at)."
    ]


def test_what_was_refused_is_not_noted_as_booked_with_the_rest(without_one):
    Payout.objects.filter(pk=without_one[1].pk).update(booked_at=utc_now())

    assert list(check_bookings()) == [
        f"Payout {without_one[1].pk} is noted as booked (booked_at); its run was without it."
    ]


def test_a_report_moves_nothing_and_is_not_proven(sent_pair):
    """Earlier releases took an order without a name for the whole run."""
    read(status_report(sent_pair[0].batch, group="ACSC"))
    BankEntry.objects.update(amount=100, currency="BSD")

    assert [words for words in check_bookings() if "run" in words] == []


@pytest.mark.parametrize(
    ("of_run", "alone", "is_proven"),
    [
        ("debit", {}, True),
        ("debit", {"kind": "return"}, False),
        ("debit", {"kind": "credit"}, False),
        ("debit", {"charge_amount": 800}, False),
        ("debit", {"charge_amount": 799}, True),
        ("debit", {"source": "notification"}, False),
        ("debit", {"state": "unmatched", "resolved_at": None}, False),
        ("debit", {"state": "other", "note": "Not ours."}, False),
        ("return", {"kind": "return"}, True),
        ("return", {"kind": "credit"}, True),
        ("return", {}, False),
        ("credit", {"kind": "return"}, True),
    ],
)
def test_what_its_run_is_without_may_be_booked_alone(without_one, of_run, alone, is_proven):
    refused = without_one[1]
    field = "booked_at" if of_run == "debit" else "return_booked_at"
    Payout.objects.filter(batch=refused.batch).update(**{field: utc_now()})
    entry = BankEntry.objects.get(batch=refused.batch_id, source="statement")
    BankEntry.objects.filter(pk=entry.pk).update(kind=of_run)
    entry.pk, entry.key, entry.batch = new_id("ben", utc_now()), "alone", None
    entry.payout, entry.amount = refused, 800
    for name, value in alone.items():
        setattr(entry, name, value)
    entry.save(force_insert=True)

    words = f"Payout {refused.pk} is noted as booked ({field}); its run was without it."
    assert list(check_batch_bookings()) == ([] if is_proven else [words])


@pytest.mark.parametrize("waits", [{"state": "unmatched", "resolved_at": None}, {"amount": None}])
def test_what_waits_or_moved_nothing_proves_nothing(run, waits):
    BankEntry.objects.update(**{"amount": WHOLE - 1, **waits})

    assert list(check_batch_bookings()) == []
