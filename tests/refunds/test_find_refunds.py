"""GET /v1/refunds, narrowed to what a shop looks for."""

from datetime import timedelta

import pytest

from core.clock import iso, utc_now
from refunds.models import Refund
from tests.refunds.refunding import refund, sell

pytestmark = pytest.mark.django_db


def found(api, merchant, **query):
    response = api(merchant).get("/v1/refunds", query)
    assert response.status_code == 200, response.json()
    assert response.json()["total"] == len(response.json()["refunds"])
    return {record["id"] for record in response.json()["refunds"]}


@pytest.fixture
def made(api, merchant, paid):
    return [refund(api, paid, amount).json()["id"] for amount in (100, 250, 400)]


def test_it_finds_an_amount(api, merchant, made):
    small, middle, large = made

    assert found(api, merchant, amount=250) == {middle}
    assert found(api, merchant, amount_min=250) == {middle, large}
    assert found(api, merchant, amount_max=250) == {small, middle}
    assert found(api, merchant, amount_min=101, amount_max=399) == {middle}
    assert found(api, merchant, amount=251) == set()


def test_it_finds_a_currency(api, merchant, made):
    assert found(api, merchant, currency="BSD") == set(made)
    assert found(api, merchant, currency="USD") == set()


def test_it_finds_what_has_changed_since(api, merchant, made):
    Refund.objects.filter(pk=made[0]).update(updated_at=utc_now() - timedelta(days=2))

    assert found(api, merchant, updated_since=iso(utc_now() - timedelta(days=1))) == set(made[1:])


def test_it_finds_nothing_of_another_merchant(api, merchant, stranger):
    refund(api, sell(stranger, 777))

    assert found(api, merchant, amount=777) == set()


@pytest.mark.parametrize("query", [{"amount_min": "-1"}, {"currency": "usd"}, {"q": "x"}])
def test_it_refuses_what_it_does_not_take(api, merchant, query):
    response = api(merchant).get("/v1/refunds", query)

    assert (response.status_code, response.json()["code"]) == (400, "INVALID_REQUEST")
