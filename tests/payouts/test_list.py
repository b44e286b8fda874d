"""GET /v1/payouts"""

from datetime import timedelta

import pytest

from core.clock import iso, utc_now
from tests.payouts.merchant_balance import credit

PATH = "/v1/payouts"


@pytest.fixture
def payouts(api, merchant):
    credit(merchant, 1250)
    credit(merchant, 700, currency="USD")
    bodies = [{"amount": 500}, {"amount": 200}, {"currency": "USD"}]
    return [api(merchant).post(PATH, body).json()["id"] for body in bodies]


def ids(response):
    return [payout["id"] for payout in response.json()["payouts"]]


def test_it_lists_the_newest_first(api, merchant, payouts):
    response = api(merchant).get(PATH, {"limit": "2"})

    assert ids(response) == [payouts[2], payouts[1]]
    assert response.json()["total"] == 3
    assert "movements" not in response.json()["payouts"][0]


def test_it_goes_on_after_a_payout(api, merchant, payouts):
    assert ids(api(merchant).get(PATH, {"starting_after": payouts[1]})) == [payouts[0]]


def test_it_filters(api, merchant, payouts):
    api(merchant).post(f"{PATH}/{payouts[1]}/cancel")
    tomorrow = iso(utc_now() + timedelta(days=1))

    assert ids(api(merchant).get(PATH, {"status": "canceled"})) == [payouts[1]]
    assert ids(api(merchant).get(PATH, {"currency": "USD"})) == [payouts[2]]
    assert ids(api(merchant).get(PATH, {"start_date": tomorrow})) == []
    assert len(ids(api(merchant).get(PATH, {"end_date": tomorrow}))) == 3


@pytest.mark.parametrize(
    "query",
    [
        {"status": "lost"},
        {"currency": "usd"},
        {"currency": ""},
        {"limit": "-1"},
        {"end_date": "soon"},
    ],
)
def test_it_refuses_a_query_it_does_not_understand(api, merchant, query):
    response = api(merchant).get(PATH, query)

    assert response.status_code == 400
    assert response.json()["code"] == "INVALID_REQUEST"


def test_it_lists_nothing_of_another_merchant_or_mode(api, merchant, stranger, payouts):
    assert ids(api(stranger).get(PATH)) == []
    assert ids(api(merchant, live=True).get(PATH)) == []
    assert api(None).get(PATH).status_code == 401


def test_its_queries_do_not_grow_with_the_payouts(
    api, merchant, payouts, django_assert_num_queries
):
    client = api(merchant)

    client.get(PATH)
    with django_assert_num_queries(1):  # the page: the key is known by now
        client.get(PATH)
