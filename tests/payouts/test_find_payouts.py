"""GET /v1/payouts, narrowed to what a shop looks for."""

from datetime import timedelta

import pytest

from core.clock import iso, utc_now
from payouts.models import Payout
from tests.payouts.merchant_balance import credit

PATH = "/v1/payouts"


@pytest.fixture
def made(api, merchant):
    credit(merchant, 5_000)
    return [api(merchant).post(PATH, {"amount": n}).json()["id"] for n in (300, 500, 700)]


def found(api, merchant, **query):
    response = api(merchant).get(PATH, query)
    assert response.status_code == 200, response.json()
    assert response.json()["total"] == len(response.json()["payouts"])
    return {record["id"] for record in response.json()["payouts"]}


def test_it_finds_an_amount(api, merchant, made):
    small, middle, large = made

    assert found(api, merchant, amount=500) == {middle}
    assert found(api, merchant, amount_min=500) == {middle, large}
    assert found(api, merchant, amount_max=500) == {small, middle}
    assert found(api, merchant, amount=501) == set()


def test_it_finds_what_has_changed_since(api, merchant, made):
    Payout.objects.filter(pk=made[0]).update(updated_at=utc_now() - timedelta(days=2))

    assert found(api, merchant, updated_since=iso(utc_now() - timedelta(days=1))) == set(made[1:])


def test_it_finds_nothing_of_another_merchant(api, merchant, stranger, made):
    assert found(api, stranger, amount=500) == set()


@pytest.mark.parametrize("query", [{"amount": "5,00"}, {"updated_since": "soon"}, {"q": "x"}])
def test_it_refuses_what_it_does_not_take(api, merchant, query):
    response = api(merchant).get(PATH, query)

    assert (response.status_code, response.json()["code"]) == (400, "INVALID_REQUEST")
