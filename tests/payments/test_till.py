"""GET and PATCH /v1/till: what a merchant's counters offer."""

import pytest
import time_machine

from payments.models import Till

PRODUCTS = [
    {"name": "Conch salad", "price": 1_500, "currency": "BSD"},
    {"name": "Sky Juice", "price": 900, "currency": "BSD"},
]


def test_it_offers_nothing_at_first(api, merchant):
    assert api(merchant).get("/v1/till").json() == {
        "merchant_id": merchant.id,
        "livemode": False,
        "products": [],
        "tips_allowed": False,
    }
    assert not Till.objects.exists()


def test_it_keeps_products_and_tips(api, merchant):
    calling = api(merchant)
    without_currency = [{"name": "Conch salad", "price": 1_500}, PRODUCTS[1]]

    answer = calling.patch("/v1/till", {"products": without_currency, "tips_allowed": True})

    assert answer.status_code == 200
    assert answer.json()["products"] == PRODUCTS
    assert calling.get("/v1/till").json() == answer.json()
    assert calling.patch("/v1/till", {"tips_allowed": False}).json()["products"] == PRODUCTS
    assert calling.patch("/v1/till", {"products": None}).json()["products"] == []


@pytest.mark.parametrize(
    "products",
    [
        [PRODUCTS[0]] * 10,
        [{"name": "", "price": 100}],
        [{"name": "x" * 41, "price": 100}],
        [{"name": "Free", "price": 0}],
        [{"name": "Gold", "price": 100, "currency": "XYZ"}],
        [{"name": "Tea"}],
        [PRODUCTS[0], {"price": 100}],
        [{}],
        "Conch salad",
    ],
)
def test_it_refuses_what_is_no_list_of_nine_products(api, merchant, products):
    calling = api(merchant)
    calling.patch("/v1/till", {"products": PRODUCTS})

    assert calling.patch("/v1/till", {"products": products}).status_code == 422
    assert calling.get("/v1/till").json()["products"] == PRODUCTS


def test_it_says_what_a_product_lacks(api, merchant):
    answer = api(merchant).patch("/v1/till", {"products": [PRODUCTS[0], {"amount": 250}]})

    assert answer.status_code == 422
    assert answer.json()["details"] == (
        "products.1.name: is required; products.1.price: is required"
    )


def test_it_names_a_field_of_a_product_that_nothing_reads(api, merchant):
    calling, products = api(merchant), [PRODUCTS[0] | {"tax": 100}]

    answer = calling.patch("/v1/till", {"products": products})
    assert answer.status_code == 200
    assert answer["X-Service-Warning"] == "products.0.tax: is unknown"

    strict = calling.patch("/v1/till", {"products": products}, x_service_strict="true")
    assert strict.status_code == 422
    assert strict.json()["details"] == "products.0.tax: is unknown"


def test_each_mode_and_each_merchant_has_its_own(api, merchant, stranger):
    api(merchant).patch("/v1/till", {"products": PRODUCTS, "tips_allowed": True})

    others = [api(merchant, live=True), api(stranger)]
    for other in others:
        assert other.get("/v1/till").json()["products"] == []
        assert other.get("/v1/till").json()["tips_allowed"] is False
    for other in others:
        assert (
            other.patch("/v1/till", {"products": PRODUCTS[:1]}).json()["products"] == PRODUCTS[:1]
        )
    assert api(merchant).patch("/v1/till", {"tips_allowed": True}).json()["products"] == PRODUCTS
    assert [other.get("/v1/till").json()["tips_allowed"] for other in others] == [False] * 2


def test_it_says_when_it_was_changed(api, merchant):
    for at, tips_allowed in (
        ("2026-11-21T12:00:00.000Z", True),
        ("2026-11-21T12:00:00.001Z", False),
    ):
        with time_machine.travel(at, tick=False):
            changed = api(merchant).patch("/v1/till", {"tips_allowed": tips_allowed}).json()
        assert changed["updated_at"] == api(merchant).get("/v1/till").json()["updated_at"] == at


def test_a_till_set_to_what_it_is_was_not_changed(api, merchant):
    changes = {"products": PRODUCTS, "tips_allowed": True}
    first = api(merchant).patch("/v1/till", changes).json()

    assert api(merchant).patch("/v1/till", changes).json() == first
    assert api(merchant).patch("/v1/till", {}).json() == first
