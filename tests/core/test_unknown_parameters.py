"""A query parameter that an address does not take is refused: it would be another question."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

import pytest
from django.urls import get_resolver

from core.operations import ACCEPTED_INPUTS
from links.models import PaymentLink
from merchants.models import Merchant
from payments.models import Payment
from tests.client import Api
from tests.factories import PaymentFactory

pytestmark = pytest.mark.django_db

LISTS = ["payments", "refunds", "payment-links", "payouts", "statements", "webhooks", "events"]


@pytest.mark.parametrize("path", LISTS)
def test_it_names_those_there_are(api: Api, merchant: Merchant, path: str) -> None:
    response = api(merchant).get(f"/v1/{path}", {"limit": "1", "ammount": "2500"})

    assert (response.status_code, response.json()["code"]) == (400, "INVALID_REQUEST")
    assert response.json()["details"].startswith(
        "ammount: is not a parameter of this address; there are limit, offset, starting_after"
    )
    assert api(merchant).get(f"/v1/{path}", {"limit": "1"}).status_code == 200


def test_a_read_takes_its_own_only(api: Api, merchant: Merchant, payment: Payment) -> None:
    path = f"/v1/payments/{payment.id}"

    assert api(merchant).get(path, {"qr_format": "png"}).status_code == 200
    response = api(merchant).get(path, {"expand": "customer"})
    assert response.status_code == 400
    assert "there are qr_format, merchant_id" in response.json()["details"]
    assert api(merchant).get("/v1/balance", {"currency": "BSD"}).status_code == 400


def test_an_act_takes_none_in_its_address(api: Api, merchant: Merchant, payment: Payment) -> None:
    """A refund with its amount there would give back everything."""
    client = api(merchant)
    assert client.post(f"/v1/payments/{payment.id}/confirm").status_code == 200

    refused = client.post(f"/v1/payments/{payment.id}/refund?amount=5")

    assert (refused.status_code, refused.json()["code"]) == (400, "INVALID_REQUEST")
    assert refused.json()["details"].startswith("amount: is not a parameter of this address")
    payment.refresh_from_db()
    assert payment.amount_refunded == 0
    assert client.post("/v1/payments?expand=x", {"amount": 100}).status_code == 400
    assert client.patch(f"/v1/payments/{payment.id}?a=b", {"description": "x"}).status_code == 400


@pytest.mark.parametrize(
    "name", ["metadata[]", "metadata", "metadata[a][b]", "metadata[a", "status[]"]
)
def test_a_key_of_metadata_is_one_key(api: Api, merchant: Merchant, name: str) -> None:
    assert api(merchant).get("/v1/payments", {name: "1"}).status_code == 400


def test_what_names_the_merchant_is_always_taken(api: Api, merchant: Merchant) -> None:
    query = {"merchant_id": merchant.id, "merchant_slug": merchant.slug}

    assert api(merchant).get("/v1/payments", query).status_code == 200


def test_a_name_is_shown_in_plain_letters(api: Api, merchant: Merchant) -> None:
    response = api(merchant).get("/v1/payments", {"é\n" + "x" * 500: "1"})

    assert response.status_code == 400
    assert response.json()["details"].startswith(r"\xe9\nxxx")
    assert len(response.json()["details"]) < 500


def test_a_customers_view_of_a_link_takes_none(api: Api, merchant: Merchant) -> None:
    made = api(merchant).post("/v1/payment-links", {"amount": 100}).json()
    link = PaymentLink.objects.get(pk=made["id"])
    path = f"/v1/pay/{merchant.slug}/{link.id}"

    assert api(None).get(path).status_code == 200
    response = api(None).get(path, {"page": "2"})
    assert response.status_code == 400
    assert response.json()["details"].endswith("; there are none")


def views_of(pattern: Any) -> Iterator[Any]:
    if hasattr(pattern, "url_patterns"):
        yield from chain.from_iterable(map(views_of, pattern.url_patterns))
    else:
        yield pattern.callback


def test_every_operation_says_what_it_takes() -> None:
    """A view without a description would take anything."""
    methods: set[Any] = {
        getattr(view.cls, name)
        for pattern in get_resolver().url_patterns
        if str(pattern.pattern) == "v1/"
        for view in views_of(pattern)
        if hasattr(view, "actions")
        for name in view.actions.values()
    }

    assert len(methods) > 30
    assert {method.__qualname__ for method in methods - ACCEPTED_INPUTS.keys()} == set()


@pytest.mark.parametrize(
    ("query", "more"),
    [
        ({"limit": "3"}, False),
        ({"limit": "2"}, True),
        ({"limit": "2", "offset": "1"}, False),
        ({"limit": "1", "offset": "1"}, True),
        ({"offset": "9"}, False),
    ],
)
def test_a_page_tells_if_there_are_more(
    api: Api, merchant: Merchant, query: dict[str, str], *, more: bool
) -> None:
    for _ in range(3):
        PaymentFactory(merchant=merchant)

    page = api(merchant).get("/v1/payments", query).json()

    assert (page["has_more"], page["total"]) == (more, 3)
    assert len(page["payments"]) <= int(query.get("limit", 20))


def test_has_more_leads_to_the_end(api: Api, merchant: Merchant) -> None:
    made = [PaymentFactory(merchant=merchant).id for _ in range(5)]

    page = api(merchant).get("/v1/payments", {"limit": 2}).json()
    seen = [record["id"] for record in page["payments"]]
    for _ in range(2):
        assert page["has_more"]
        after = {"limit": 2, "starting_after": seen[-1]}
        page = api(merchant).get("/v1/payments", after).json()
        seen += [record["id"] for record in page["payments"]]

    assert not page["has_more"]
    assert sorted(seen) == sorted(made)
