"""What the bank answers, recorded by staff: paid, failed"""

import pytest
import time_machine

from core.clock import iso, utc_now
from ledger.models import Purpose
from payouts.bank_accounts import close_bank_account
from payouts.errors import PayoutNotFound, PayoutStatusUnfit
from payouts.services import mark_sent, record_failed, record_paid
from tests.events import event_data, event_types
from tests.payouts.merchant_balance import credit, held

STAFF = "staff:ann"


def send(payout):
    return mark_sent(payout_id=payout.id, actor=STAFF, now=utc_now())


def pay(payout):
    return record_paid(payout_id=payout.id, actor=STAFF, now=utc_now(), bank_reference="TRN 7")


def fail(payout):
    return record_failed(
        payout_id=payout.id, code="account_closed", message="Closed.", actor=STAFF, now=utc_now()
    )


def test_money_that_was_paid_has_left(merchant, payout):
    send(payout)

    paid = pay(payout)

    assert (paid.status, paid.bank_reference) == ("paid", "TRN 7")
    assert held(merchant, Purpose.PAYOUTS) == 0
    assert held(merchant, Purpose.BANK) == 1250
    assert event_data("payout.paid") == {
        "payout_id": payout.id,
        "amount": 1250,
        "arrival_date": payout.arrival_date.isoformat(),
    }


def test_money_that_the_bank_refused_returns(api, merchant, payout):
    send(payout)

    failed = fail(payout)

    body = api(merchant).get(f"/v1/payouts/{payout.id}").json()
    assert (body["status"], body["error_code"], body["error_message"]) == (
        "failed",
        "account_closed",
        "Closed.",
    )
    assert held(merchant, Purpose.MERCHANT) == 1250
    assert held(merchant, Purpose.PAYOUTS) == 0
    assert event_data("payout.failed") == {
        "payout_id": payout.id,
        "merchant_id": merchant.id,
        "amount": 1250,
        "currency": "BSD",
        "status": "failed",
        "error_code": "account_closed",
        "error_message": "Closed.",
        "failed_at": iso(failed.failed_at),
    }


def test_a_payout_can_fail_before_it_leaves(merchant, payout):
    fail(payout)

    assert held(merchant, Purpose.MERCHANT) == 1250


def test_a_payout_to_a_closed_account_does_not_leave(merchant, payout):
    close_bank_account(bank_account_id=payout.bank_account_id, actor=STAFF, now=utc_now())

    failed = send(payout)

    assert (failed.status, failed.failure_code) == ("failed", "bank_account_closed")
    assert held(merchant, Purpose.MERCHANT) == 1250


@pytest.mark.parametrize(
    ("before", "act"),
    [
        ([], pay),
        ([send], send),
        ([send, pay], pay),
        ([send, pay], fail),
        ([send, pay], send),
        ([send, fail], fail),
        ([send, fail], pay),
    ],
)
def test_nothing_is_recorded_twice_or_out_of_order(merchant, payout, before, act):
    for step in before:
        step(payout)
    events, balance = event_types(), held(merchant, Purpose.MERCHANT)

    with pytest.raises(PayoutStatusUnfit):
        act(payout)

    assert (event_types(), held(merchant, Purpose.MERCHANT)) == (events, balance)


@pytest.mark.parametrize("act", [pay, fail, send])
def test_what_does_not_exist_cannot_be_answered(merchant, payout, act):
    payout.id = "po_x"

    with pytest.raises(PayoutNotFound):
        act(payout)


def test_every_move_is_written_down(payout):
    with time_machine.travel("2027-01-04T12:00:00Z", tick=False):
        send(payout)
        pay(payout)

    moves = payout.transitions.order_by("id").values_list("from_status", "to_status", "actor")
    assert list(moves)[1:] == [
        ("scheduled", "in_transit", STAFF),
        ("in_transit", "paid", STAFF),
    ]
    payout.refresh_from_db()
    assert iso(payout.paid_at) == iso(payout.in_transit_at) == "2027-01-04T12:00:00.000Z"


def test_what_was_paid_is_gone_from_the_next_statement(api, merchant, payout):
    send(payout)
    pay(payout)
    credit(merchant, 200)

    body = api(merchant).post("/v1/payouts", {}).json()

    assert (body["amount"], body["statement"]["opening_amount"]) == (200, 0)
