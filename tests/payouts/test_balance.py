"""GET /v1/balance"""

from core.clock import utc_now
from payouts.services import mark_sent
from tests.payouts.merchant_balance import credit

PATH = "/v1/balance"


def one(amount, currency="BSD"):
    return [{"currency": currency, "amount": amount}]


def test_it_is_nothing_at_first(api, merchant):
    response = api(merchant).get(PATH)

    assert response.status_code == 200
    assert response.json() == {
        "merchant_id": merchant.id,
        "livemode": False,
        "available": one(0),
        "pending": one(0),
        "in_transit": one(0),
    }


def test_money_goes_from_available_by_pending_to_in_transit(api, merchant):
    client = api(merchant)
    credit(merchant, 1250)
    payout_id = client.post("/v1/payouts", {"amount": 1000}).json()["id"]
    scheduled = client.get(PATH).json()
    mark_sent(payout_id=payout_id, actor="staff:ann", now=utc_now())
    sent = client.get(PATH).json()

    assert (scheduled["available"], scheduled["pending"]) == (one(250), one(1000))
    assert scheduled["in_transit"] == one(0)
    assert (sent["available"], sent["pending"], sent["in_transit"]) == (
        one(250),
        one(0),
        one(1000),
    )


def test_each_currency_stands_by_itself(api, merchant):
    credit(merchant, 5, currency="USD")
    credit(merchant, 7, currency="EUR")

    body = api(merchant).get(PATH).json()

    assert body["available"] == one(0) + one(7, "EUR") + one(5, "USD")
    assert body["pending"] == one(0) + one(0, "EUR") + one(0, "USD")


def test_what_is_kept_back_is_not_available(api, merchant, settings):
    settings.PAYOUT_RESERVES = ["tests.payouts.test_request.keep_three_hundred"]
    credit(merchant, 1250)

    assert api(merchant).get(PATH).json()["available"] == one(950)


def test_a_payment_is_available_at_once(api, merchant):
    client = api(merchant)
    payment_id = client.post("/v1/payments", {"amount": 1250}).json()["id"]
    client.post(f"/v1/payments/{payment_id}/confirm")

    assert client.get(PATH).json()["available"] == one(1250)


def test_it_shows_the_callers_own_money_in_its_mode(api, merchant, stranger):
    credit(merchant, 1250)

    assert api(stranger).get(PATH).json()["available"] == one(0)
    assert api(merchant, live=True).get(PATH).json()["available"] == one(0)
    assert api(merchant, live=True).get(PATH).json()["livemode"] is True


def test_it_needs_a_key_and_in_development_a_merchant(api, merchant, settings):
    assert api(None).get(PATH, {"merchant_id": merchant.id}).status_code == 401

    settings.DEVELOPMENT_MODE = True
    assert api(None).get(PATH).json()["code"] == "VALIDATION_FAILED"
    body = api(None).get(PATH, {"merchant_id": merchant.id}).json()
    assert body["merchant_id"] == merchant.id
