"""GET /v1/payment-links, narrowed to what a shop looks for."""

from datetime import timedelta

import pytest
from django.db import connection

from core.clock import iso, utc_now
from links.models import PaymentLink
from merchants.callers import Caller
from tests.links.conftest import new_link
from tests.lone_index import leave_only

PATH = "/v1/payment-links"


def found(api, merchant, **query):
    response = api(merchant).get(PATH, query)
    assert response.status_code == 200, response.json()
    assert response.json()["total"] == len(response.json()["payment_links"])
    return {record["id"] for record in response.json()["payment_links"]}


def test_it_finds_an_amount(api, merchant):
    small, middle, large = (new_link(api, merchant, amount=n).id for n in (100, 2_500, 99_999))
    new_link(api, merchant, amount=None)

    assert found(api, merchant, amount=2_500) == {middle}
    assert found(api, merchant, amount_min=2_500) == {middle, large}
    assert found(api, merchant, amount_max=2_500) == {small, middle}
    assert found(api, merchant, amount=2_501) == set()


def test_it_finds_a_currency(api, merchant):
    new_link(api, merchant)
    dollars = new_link(api, merchant, currency="USD")

    assert found(api, merchant, currency="USD") == {dollars.id}
    assert found(api, merchant, currency="EUR") == set()


def test_it_finds_metadata(api, merchant):
    gift = new_link(api, merchant, metadata={"kind": "gift", "shelf": 7})
    new_link(api, merchant, metadata={"kind": "tour"})

    assert found(api, merchant, **{"metadata[kind]": "gift"}) == {gift.id}
    assert found(api, merchant, **{"metadata[kind]": "gift", "metadata[shelf]": "7"}) == {gift.id}
    assert found(api, merchant, **{"metadata[kind]": "other"}) == set()


def test_it_finds_words_of_the_description(api, merchant):
    card = new_link(api, merchant, description="Gift card, 2026-0017")
    new_link(api, merchant, description="Boat tour")

    assert found(api, merchant, q="gift 0017") == {card.id}
    assert found(api, merchant, q="gift tour") == set()


@pytest.mark.postgres
@pytest.mark.django_db
def test_words_are_found_by_an_index():
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        plan = PaymentLink.objects.matching({"words": ("gift",)}).explain()

    assert "link_owned_words" in plan


@pytest.mark.postgres
def test_pairs_of_a_merchant_are_found_by_an_index(merchant):
    caller = Caller(merchant, livemode=False, actor="tests")
    leave_only("link_owned_pairs", PaymentLink)

    plan = PaymentLink.objects.matching({"pairs": {"kind": "gift"}}, caller).explain()

    assert "link_owned_pairs" in plan


def test_it_finds_what_has_changed_since(api, merchant):
    old, new = new_link(api, merchant), new_link(api, merchant)
    PaymentLink.objects.filter(pk=old.pk).update(updated_at=utc_now() - timedelta(days=2))

    since = iso(utc_now() - timedelta(days=1))
    assert found(api, merchant, updated_since=since) == {new.id}
    page = api(merchant).get(PATH, {"updated_since": "2000-01-01", "limit": 1}).json()
    assert (page["payment_links"][0]["id"], page["total"]) == (new.id, 2)


def test_it_finds_nothing_of_another_merchant(api, merchant, stranger):
    new_link(api, stranger, amount=777, description="Gift", metadata={"kind": "gift"})

    for query in ({"amount": 777}, {"q": "gift"}, {"metadata[kind]": "gift"}):
        assert found(api, merchant, **query) == set()


@pytest.mark.parametrize("query", [{"amount": "1.5"}, {"currency": "usd"}, {"q": "-"}])
def test_it_refuses_what_it_cannot_read(api, merchant, query):
    response = api(merchant).get(PATH, query)

    assert (response.status_code, response.json()["code"]) == (400, "INVALID_REQUEST")
