"""Under filters without kept counts, a total is counted as far as a number of rows."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.clock import iso, utc_now
from merchants.caller_lists import CallerList
from merchants.callers import Caller
from merchants.models import Merchant
from payments.counts import total_of
from payments.models import Payment
from tests.client import Api
from tests.factories import PaymentFactory

pytestmark = pytest.mark.django_db

MOST = 2


@pytest.fixture
def five(merchant: Merchant, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five payments, of which two are counted."""
    monkeypatch.setattr("merchants.caller_lists.MOST_COUNTED", MOST)
    at = utc_now()
    for age in range(5):
        PaymentFactory(merchant=merchant, amount=700, created_at=at - timedelta(minutes=age))


def page(api: Api, merchant: Merchant, **query: Any) -> dict[str, Any]:
    response = api(merchant).get("/v1/payments", {"limit": 1, **query})
    assert response.status_code == 200, response.json()
    found: dict[str, Any] = response.json()
    return found


@pytest.mark.usefixtures("five")
def test_it_says_that_there_are_more(api: Api, merchant: Merchant) -> None:
    first = page(api, merchant, amount=700)["payments"][0]["id"]

    assert page(api, merchant, amount=700)["total"] == MOST + 1
    assert page(api, merchant, amount=700, starting_after=first)["total"] == MOST + 1
    assert page(api, merchant, amount=700, offset=9)["total"] == MOST + 1


@pytest.mark.usefixtures("five")
def test_it_is_above_what_was_passed_over_while_more_follow(api: Api, merchant: Merchant) -> None:
    first = page(api, merchant, amount=700)["payments"][0]["id"]

    last_but_one = page(api, merchant, amount=700, starting_after=first, offset=2)

    assert (last_but_one["has_more"], last_but_one["total"]) == (True, 4)


@pytest.mark.usefixtures("five")
def test_the_filters_of_the_contract_are_counted_exactly(api: Api, merchant: Merchant) -> None:
    today = iso(utc_now())[:10]
    for query in ({}, {"status": "created"}, {"start_date": "2000-01-01", "end_date": today}):
        assert page(api, merchant, **query)["total"] == 5
        assert page(api, merchant, **query, offset=9)["total"] == 5


@pytest.mark.usefixtures("five")
def test_totals_of_every_merchant_are_exact_under_them_without_kept_counts() -> None:
    everyone, at = Caller.for_development(), utc_now()

    def total(**lookups: Any) -> int:
        return CallerList(Payment.objects.listed, everyone, lookups, at, total_of).total()

    assert (total(status="created"), total(amount=700)) == (5, MOST + 1)


@pytest.mark.usefixtures("five")
def test_paging_until_the_total_is_reached_finds_all(api: Api, merchant: Merchant) -> None:
    seen, total = 0, 1
    while seen < total:
        found = page(api, merchant, amount=700, offset=seen)
        seen, total = seen + len(found["payments"]), found["total"]

    assert (seen, total) == (5, 5)


@pytest.mark.usefixtures("five")
@pytest.mark.parametrize(
    ("query", "orders"),
    [
        ({"amount_min": 1}, []),
        ({"updated_since": "2000-01-01", "status": "created"}, ["updated_at"]),
    ],
)
def test_no_more_rows_are_counted(
    api: Api, merchant: Merchant, query: dict[str, Any], orders: list[str]
) -> None:
    """What has changed lately is at the end of an index, where PostgreSQL would not begin."""
    with CaptureQueriesContext(connection) as sent:
        page(api, merchant, **query)

    [count] = [it["sql"] for it in sent.captured_queries if "COUNT(" in it["sql"]]
    assert f"LIMIT {MOST + 1}" in count
    assert re.findall(r'"\."(\w+)" AS "\w+" FROM .* ORDER BY 1 DESC', count) == orders
    assert ("ORDER BY" in count) is bool(orders)
