"""Customers who wait for their refund come before the merchant's payout"""

from refunds.tasks import retry_refunds
from tests.payouts.merchant_balance import credit

REFUSED = "INSUFFICIENT_BALANCE"


def test_money_is_not_paid_out_that_a_refund_waits_for(api, merchant):
    client = api(merchant)
    sold = client.post("/v1/payments", {"amount": 1000}).json()["id"]
    client.post(f"/v1/payments/{sold}/confirm")
    client.post("/v1/payouts", {})
    assert client.post(f"/v1/payments/{sold}/refund", {}).json()["status"] == "pending"
    credit(merchant, 700)

    assert client.post("/v1/payouts", {}).json()["code"] == REFUSED
    assert client.get("/v1/balance").json()["available"] == [{"currency": "BSD", "amount": 0}]
    credit(merchant, 600)
    retry_refunds()

    assert client.post("/v1/payouts", {}).json()["amount"] == 300
