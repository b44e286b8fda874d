"""What is not an amount, in every place where money is named."""

import pytest

from merchants.models import Merchant
from payments.models import Payment
from tests.client import Api
from webhooks.models import Event

pytestmark = pytest.mark.django_db

NOT_JSON = [
    "NaN",
    "Infinity",
    "-Infinity",
    "01",
    "+1",
    "0x10",
    "1_000",
]
NOT_AMOUNTS = [
    "true",
    "false",
    '"100"',
    '"1_000"',
    '"\\u0661\\u0660\\u0660"',
    "100.0",
    "100.00000000000000000001",
    "1e2",
    "0.5",
    "-1",
    "0",
    "-0",
    "100000000000",
    "9223372036854775808",
    "9" * 400,
    "9" * 5_000,
    "1e309",
    "-1e400",
    "[]",
    "{}",
]
ITEMS = '{"payment_mode": "ORDER_PAY", "line_items": [{"name": "A", %s}]}'
PLACES = {
    "amount": '{"amount": %s}',
    "total": '{"payment_mode": "ORDER_PAY", "total": %s}',
    "price": ITEMS % '"quantity": 1, "price": %s',
    "quantity": ITEMS % '"quantity": %s, "price": 1',
    "counter": '{"payment_mode": "STATIC_PAY", "amount": %s}',
}


def refused(api: Api, merchant: Merchant, body: str) -> tuple[int, str]:
    response = api(merchant).post("/v1/payments", body.encode())
    assert Payment.objects.count() == 0
    assert Event.objects.count() == 0
    assert set(response.json()) == {"error", "code", "details"}
    return response.status_code, response.json()["code"]


@pytest.mark.parametrize("value", NOT_JSON)
@pytest.mark.parametrize("place", PLACES)
def test_it_does_not_read_what_is_not_json(
    api: Api, merchant: Merchant, place: str, value: str
) -> None:
    assert refused(api, merchant, PLACES[place] % value) == (400, "INVALID_REQUEST")


@pytest.mark.parametrize("value", NOT_AMOUNTS)
@pytest.mark.parametrize("place", PLACES)
def test_it_refuses_what_is_not_an_amount(
    api: Api, merchant: Merchant, place: str, value: str
) -> None:
    assert refused(api, merchant, PLACES[place] % value) == (422, "INVALID_AMOUNT")


@pytest.mark.parametrize("place", [place for place in PLACES if place != "counter"])
def test_a_null_is_no_amount_where_one_is_needed(api: Api, merchant: Merchant, place: str) -> None:
    assert refused(api, merchant, PLACES[place] % "null") == (422, "INVALID_AMOUNT")


def test_a_null_is_left_out_where_an_amount_may_be(
    api: Api, merchant: Merchant, payment: Payment
) -> None:
    counter = {"payment_mode": "STATIC_PAY", "amount": None, "expires_at": None}
    made = api(merchant).post("/v1/payments", counter)
    assert (made.status_code, "amount" in made.json()) == (201, False)
    link = api(merchant).post("/v1/payment-links", {"amount": None})
    assert (link.status_code, "amount" in link.json()) == (201, False)
    confirm = f"/v1/payments/{payment.id}/confirm"
    assert api(merchant).post(confirm, {"amount": None}).status_code == 200


def test_an_amount_of_a_refund_must_not_be_null(
    api: Api, merchant: Merchant, payment: Payment
) -> None:
    """Left out, it stands for all there is: that is not what a null by mistake may do."""
    assert api(merchant).post(f"/v1/payments/{payment.id}/confirm").status_code == 200

    for name, least in (("amount", 1), ("refund_amount_available", 0)):
        response = api(merchant).post(f"/v1/payments/{payment.id}/refund", {name: None})
        assert (response.status_code, response.json()["code"]) == (422, "INVALID_AMOUNT")
        rule = f"must be an integer number of cents from {least} to 99999999999"
        assert response.json()["details"] == f"{name}: {rule}"


def test_gifts_and_discounts_count(api: Api, merchant: Merchant) -> None:
    items = [
        {"name": "Coffee", "quantity": 2, "price": 450},
        {"name": "Biscuit", "quantity": 1, "price": 0},
        {"name": "Regular's discount", "quantity": 1, "price": -100},
    ]
    body = {"payment_mode": "ORDER_PAY", "line_items": items}

    made = api(merchant).post("/v1/payments", body)

    assert (made.status_code, made.json()["amount"]) == (201, 800)
    assert made.json()["line_items"] == items
    page = api(None).get(made.json()["hosted_url"]).content.decode()
    assert "Regular&#x27;s discount" in page
    items[2]["price"] = -900
    refusal = api(merchant).post("/v1/payments", body)
    assert (refusal.status_code, refusal.json()["code"]) == (422, "INVALID_AMOUNT")


def test_items_that_cancel_out_are_bounded_too(api: Api, merchant: Merchant) -> None:
    signs = [{"name": "A", "quantity": 2, "price": sign * 99_999_999_999} for sign in (1, -1)]
    body = {"payment_mode": "ORDER_PAY", "total": 100, "line_items": signs}

    response = api(merchant).post("/v1/payments", body)

    assert response.json()["code"] == "INVALID_AMOUNT"
    assert response.json()["details"].startswith("line_items: must add up to at most")


def test_a_line_holds_no_more_tax_than_money(api: Api, merchant: Merchant) -> None:
    """The receipt, in our name, would say that a pencil had a billion of tax in it."""
    for quantity, price, most in ((2, 50, 100), (1, -20, 20)):
        line = {"name": "Pencil", "quantity": quantity, "price": price, "tax": most + 1}
        body = {"payment_mode": "ORDER_PAY", "total": 100, "line_items": [line]}

        response = api(merchant).post("/v1/payments", body)

        assert response.status_code == 422
        assert response.json()["details"] == (
            "line_items.0.tax: must be at most the price of the line"
        )
        line["tax"] = most
        assert api(merchant).post("/v1/payments", body).status_code == 201


def test_the_tax_of_all_lines_is_within_the_amount(api: Api, merchant: Merchant) -> None:
    line = {"name": "Pencil", "quantity": 1, "price": 99_999_999_999, "tax": 101}
    body = {"payment_mode": "ORDER_PAY", "total": 100, "line_items": [line]}

    response = api(merchant).post("/v1/payments", body)

    assert (response.status_code, response.json()["code"]) == (422, "INVALID_AMOUNT")
    line["tax"] = 100
    assert api(merchant).post("/v1/payments", body).status_code == 201


def test_it_says_what_a_quantity_must_be(api: Api, merchant: Merchant) -> None:
    items = [{"name": "Coffee", "quantity": 0, "price": 450}]
    response = api(merchant).post(
        "/v1/payments", {"payment_mode": "ORDER_PAY", "line_items": items}
    )

    assert response.json()["code"] == "INVALID_AMOUNT"
    assert response.json()["details"] == (
        "line_items.0.quantity: must be an integer from 1 to 99999999999"
    )


def test_it_takes_the_smallest_and_the_largest(api: Api, merchant: Merchant) -> None:
    for amount in (1, 99_999_999_999):
        response = api(merchant).post("/v1/payments", {"amount": amount})
        assert (response.status_code, response.json()["amount"]) == (201, amount)
