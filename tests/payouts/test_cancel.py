"""POST /v1/payouts/:id/cancel"""

import pytest

from core.clock import utc_now
from ledger.models import Purpose
from payouts.services import mark_sent, record_failed, record_paid
from tests.events import event_data, event_types
from tests.payouts.merchant_balance import credit, held


def test_it_takes_the_money_back(api, merchant, payout):
    response = api(merchant).post(f"/v1/payouts/{payout.id}/cancel")

    body = response.json()
    assert response.status_code == 200
    assert (body["status"], body["canceled_at"]) == ("canceled", body["updated_at"])
    assert held(merchant, Purpose.MERCHANT) == 1250
    assert held(merchant, Purpose.PAYOUTS) == 0
    assert event_types() == ["payout.created", "payout.canceled"]
    assert event_data("payout.canceled") == {
        "payout_id": payout.id,
        "merchant_id": merchant.id,
        "amount": 1250,
        "currency": "BSD",
        "status": "canceled",
        "canceled_at": body["canceled_at"],
    }
    [scheduled, canceled] = payout.transitions.order_by("id")
    assert (scheduled.from_status, scheduled.to_status) == ("", "scheduled")
    assert (canceled.from_status, canceled.to_status) == ("scheduled", "canceled")
    assert canceled.actor.startswith("key:key_")


def test_the_money_stands_in_the_next_statement_as_returned(api, merchant, payout):
    api(merchant).post(f"/v1/payouts/{payout.id}/cancel")
    credit(merchant, 50)

    again = api(merchant).post("/v1/payouts", {}).json()

    movements = api(merchant).get(f"/v1/payouts/{again['id']}").json()["movements"]
    assert again["amount"] == 1300
    assert [(each["type"], each["amount"]) for each in movements] == [
        ("adjustment", 50),
        ("payout_returned", 1250),
    ]
    assert movements[1]["reference"] == payout.id


def fail(payout_id):
    record_failed(payout_id=payout_id, code="x", message="y", actor="staff:ann", now=utc_now())


def pay(payout_id):
    mark_sent(payout_id=payout_id, actor="staff:ann", now=utc_now())
    record_paid(payout_id=payout_id, actor="staff:ann", now=utc_now())


def send(payout_id):
    mark_sent(payout_id=payout_id, actor="staff:ann", now=utc_now())


@pytest.mark.parametrize("before", [send, pay, fail])
def test_it_refuses_a_payout_that_has_left_or_ended(api, merchant, payout, before):
    before(payout.id)
    balance = held(merchant, Purpose.MERCHANT)

    response = api(merchant).post(f"/v1/payouts/{payout.id}/cancel")

    assert response.status_code == 422
    assert response.json()["code"] == "VALIDATION_FAILED"
    assert held(merchant, Purpose.MERCHANT) == balance


def test_it_refuses_a_repeat(api, merchant, payout):
    api(merchant).post(f"/v1/payouts/{payout.id}/cancel")

    response = api(merchant).post(f"/v1/payouts/{payout.id}/cancel")

    assert response.status_code == 422
    assert "canceled" in response.json()["details"]
    assert held(merchant, Purpose.MERCHANT) == 1250


def test_it_answers_a_repeat_under_the_same_key_alike(api, merchant, payout):
    path = f"/v1/payouts/{payout.id}/cancel"
    first = api(merchant).post(path, idempotency_key="stop")
    again = api(merchant).post(path, idempotency_key="stop")

    assert (again.status_code, again.content) == (200, first.content)


def test_it_hides_another_merchants_payout(api, stranger, merchant, payout):
    for caller in (api(stranger), api(merchant, live=True)):
        response = caller.post(f"/v1/payouts/{payout.id}/cancel")
        assert response.status_code == 404
        assert response.json()["code"] == "PAYOUT_NOT_FOUND"
    payout.refresh_from_db()
    assert payout.status == "scheduled"
    assert held(merchant, Purpose.MERCHANT) == 0
