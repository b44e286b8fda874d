"""A refund that waits holds back money of its own currency, and of its own mode, only."""

from tests.payouts.merchant_balance import credit


def test_a_refund_in_one_currency_holds_back_none_of_another(api, merchant):
    client = api(merchant)
    sold = client.post("/v1/payments", {"amount": 1000, "currency": "BSD"}).json()["id"]
    client.post(f"/v1/payments/{sold}/confirm")
    client.post("/v1/payouts", {"currency": "BSD"})
    assert client.post(f"/v1/payments/{sold}/refund", {}).json()["status"] == "pending"
    credit(merchant, 700, currency="USD")

    response = client.post("/v1/payouts", {"currency": "USD"})

    assert response.status_code == 201
    assert (response.json()["currency"], response.json()["amount"]) == ("USD", 700)
