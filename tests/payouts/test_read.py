"""GET /v1/payouts/:id, with the movements that make it up"""

import pytest

from tests.payouts.merchant_balance import credit

PATH = "/v1/payouts"


def test_it_shows_the_payout_with_its_movements_newest_first(api, merchant):
    references = [credit(merchant, amount) for amount in (1000, 300, -50)]
    payout = api(merchant).post(PATH, {}).json()

    response = api(merchant).get(f"{PATH}/{payout['id']}")

    movements = response.json()["movements"]
    assert response.status_code == 200
    assert response.json() == {**payout, "movements": movements}
    assert [(each["reference"], each["amount"]) for each in movements] == [
        (references[2], -50),
        (references[1], 300),
        (references[0], 1000),
    ]
    assert movements[0] == {
        "type": "adjustment",
        "reference": references[2],
        "amount": -50,
        "currency": "BSD",
        "transaction_id": movements[0]["transaction_id"],
        "description": "Test money",
        "created_at": movements[0]["created_at"],
    }


def test_the_movements_of_a_sale_and_its_refund_sum_to_the_payout(api, merchant):
    merchant.fee_basis_points = 250
    merchant.save()
    client = api(merchant)
    sold = client.post("/v1/payments", {"amount": 10_000}).json()["id"]
    client.post(f"/v1/payments/{sold}/confirm")
    client.post(f"/v1/payments/{sold}/refund", {"amount": 4_000})

    payout_id = client.post(PATH, {}).json()["id"]

    body = client.get(f"{PATH}/{payout_id}").json()
    amounts = {each["type"]: each["amount"] for each in body["movements"]}
    assert amounts == {"payment": 10_000, "fee": -250, "refund": -4_000, "refund_fee": 100}
    assert sum(amounts.values()) == body["amount"] == 5_850


def test_it_shows_the_newest_hundred_and_lists_the_rest(api, merchant):
    references = [credit(merchant, 10 + number) for number in range(103)]
    payout_id = api(merchant).post(PATH, {}).json()["id"]

    shown = api(merchant).get(f"{PATH}/{payout_id}").json()["movements"]
    rest = api(merchant).get(f"{PATH}/{payout_id}/movements", {"offset": "100"}).json()

    assert len(shown) == 100
    assert (rest["total"], rest["limit"], rest["offset"]) == (103, 20, 100)
    every = [each["reference"] for each in shown + rest["movements"]]
    assert every == references[::-1]


@pytest.mark.parametrize("query", [{"limit": "x"}, {"starting_after": "pay_x"}])
def test_it_refuses_a_page_it_does_not_understand(api, merchant, payout, query):
    response = api(merchant).get(f"{PATH}/{payout.id}/movements", query)

    assert response.status_code == 400
    assert response.json()["code"] == "INVALID_REQUEST"


def test_it_is_readable_in_development(api, payout, development):
    assert api(None).get(f"{PATH}/{payout.id}").status_code == 200


def test_it_needs_a_key(api, payout):
    assert api(None).get(f"{PATH}/{payout.id}").status_code == 401
    assert api(None).get(f"{PATH}/{payout.id}/movements").status_code == 401


def test_it_hides_another_merchants_payout(api, stranger, merchant, payout):
    for caller in (api(stranger), api(merchant, live=True)):
        for suffix in ("", "/movements"):
            foreign = caller.get(f"{PATH}/{payout.id}{suffix}")
            missing = caller.get(f"{PATH}/{payout.id[:-1]}_{suffix}")
            assert foreign.status_code == 404
            assert foreign.json()["code"] == "PAYOUT_NOT_FOUND"
            assert foreign.content == missing.content
