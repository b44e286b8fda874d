"""Which other entries explain that a refused payout left, or that it came back"""

import pytest

from core.clock import utc_now
from payouts.bank.booking_reconciliation import check_bookings
from payouts.bank.round_trips import is_round_trip
from payouts.models import BankEntry, BankEntryKind, Payout
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

K = BankEntryKind
ORDER, RUN = "its order", "its run"
# What is stored besides a debit of a refused payout of 800, and whether it was the way back.
WAYS_BACK = [
    ({"kind": "return", "end_to_end_id": ORDER}, True),
    ({"kind": "return", "end_to_end_id": "E-other"}, False),
    ({"kind": "credit", "end_to_end_id": ORDER}, False),
    ({"kind": "rejected", "end_to_end_id": ORDER}, False),
    ({"kind": "return", "payout": ORDER}, True),
    ({"kind": "credit", "payout": ORDER}, True),
    ({"kind": "debit", "payout": ORDER}, False),
    *(({"kind": "return", "end_to_end_id": ORDER, "amount": it}, False) for it in (799, 801)),
    ({"kind": "credit", "payout": ORDER, "amount": 799}, False),
    ({"kind": "return", "end_to_end_id": ORDER, "livemode": False}, False),
    ({"kind": "return", "end_to_end_id": ORDER, "currency": "USD"}, False),
]
# Besides a return of it, and whether that was the way out. The run is of 2050.
WAYS_OUT = [
    ({"end_to_end_id": ORDER}, True),
    ({"end_to_end_id": ORDER, "amount": 850, "charge_amount": 50}, True),
    ({"end_to_end_id": ORDER, "charge_amount": 50}, True),
    ({"end_to_end_id": ORDER, "amount": 750, "charge_amount": 50}, False),
    ({"end_to_end_id": ORDER, "amount": 850}, False),
    ({"end_to_end_id": "E-other"}, False),
    ({"end_to_end_id": ORDER, "kind": "settled"}, False),
    ({"end_to_end_id": ORDER, "livemode": False}, False),
    ({"end_to_end_id": ORDER, "currency": "USD"}, False),
    ({"message_reference": RUN, "amount": 2050}, True),
    ({"message_reference": RUN, "amount": 2100, "charge_amount": 50}, True),
    ({"message_reference": RUN, "amount": 2051}, False),
    ({"message_reference": RUN}, False),
    ({"message_reference": "B-other", "amount": 2050}, False),
    ({"message_reference": RUN, "end_to_end_id": "E-other", "amount": 2050}, False),
    ({"message_reference": RUN, "amount": 2050, "kind": "settled"}, False),
    ({"batch": RUN, "end_to_end_id": "E-other", "amount": 2050}, True),
    ({"batch": RUN}, False),
    ({"amount": 2050}, False),
]


@pytest.fixture
def failed(sent_pair):
    read(status_report(sent_pair[0].batch, (order_of(sent_pair[1]), "RJCT"), group="PART"))
    return Payout.objects.get(pk=sent_pair[1].pk)


def told(payout, values):
    """Store what the bank has told of a payout or its run."""
    meant = {
        "end_to_end_id": order_of(payout),
        "message_reference": payout.batch.message_id,
        "payout": payout,
        "batch": payout.batch,
    }
    return stored(
        **{name: meant[name] if value in (ORDER, RUN) else value for name, value in values.items()}
    )


def set_aside(entry):
    explained = {"state": "other", "note": "Not ours.", "resolved_at": utc_now()}
    BankEntry.objects.filter(pk=entry.pk).update(**explained)


@pytest.mark.parametrize("kind", [K.DEBIT, K.SETTLED])
@pytest.mark.parametrize(("values", "is_one"), WAYS_BACK)
def test_what_left_is_explained_by_its_way_back(failed, kind, values, is_one):
    other = told(failed, values)

    assert is_round_trip(kind, failed) is is_one
    set_aside(other)
    assert not is_round_trip(kind, failed)


@pytest.mark.parametrize(("values", "is_one"), WAYS_OUT)
def test_what_came_back_is_explained_by_its_way_out(failed, values, is_one):
    other = told(failed, values)

    assert is_round_trip(K.RETURN, failed) is is_one
    assert not is_round_trip(K.PROCESSING, failed)
    set_aside(other)
    assert not is_round_trip(K.RETURN, failed)


def test_what_is_noted_as_booked_has_left(failed):
    assert not is_round_trip(K.RETURN, failed)

    failed.booked_at = utc_now()

    assert is_round_trip(K.RETURN, failed)
    assert not is_round_trip(K.DEBIT, failed)
    assert not is_round_trip(K.PROCESSING, failed)


@pytest.mark.parametrize("other", [{"status": "paid"}, {"batch": None}])
def test_only_what_was_refused_of_a_run_makes_one(failed, other):
    failed.booked_at = utc_now()
    for name, value in other.items():
        setattr(failed, name, value)

    assert not is_round_trip(K.RETURN, failed)


def test_a_refused_order_that_left_beside_its_run_and_came_back_waits_for_no_one(failed):
    """Its debit waited for ever: of its run, booked without it, the bank had reported that."""
    payout, run = failed, failed.batch
    without = entry(run.total_amount - payout.amount, details=batch_details(run), reference="TRN 1")
    read(statement(without, entry(payout.amount, order_of(payout), reference="TRN 2")))
    assert len(waiting_entries()) == 1

    read(statement(returned(payout), message_id="M-2", number="2"))

    assert waiting_entries() == []
    assert statuses_of([payout]) == ["failed"]
    assert list(check_bookings()) == []


def test_a_refused_order_that_left_with_its_run_did_not_leave_alone(failed):
    read(statement(entry(failed.batch.total_amount, details=batch_details(failed.batch))))
    alone = entry(failed.amount, order_of(failed), reference="TRN 2")
    read(statement(alone, returned(failed), message_id="M-2", number="2"))

    out, back = sorted(waiting_entries())
    assert out.startswith("The bank has already reported this about the payout")
    assert back.startswith("The bank has debited this payout twice")
