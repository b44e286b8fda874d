"""Searches with keys that anyone can get: one at a time, and never in most of the threads.

The first that take the database seconds are charged when they end, and would hold a thread each.
"""

from collections.abc import Iterator

import pytest
from django.db.models import QuerySet
from pytest_django import Settings

import config.settings
from core.concurrency import ConcurrencyLimitReached
from merchants.models import Merchant
from merchants.searches import self_service_searches
from tests.client import Api
from tests.factories import MerchantFactory, PaymentFactory

LISTS = ("/v1/payments", "/v1/payment-links")
CSV = "/v1/payments?q=coffee&format=csv"


@pytest.fixture(autouse=True)
def limited(settings: Settings) -> None:
    """Let the limits be those of production."""
    settings.VISITOR_SECONDS_PER_NETWORK = config.settings.VISITOR_SECONDS_PER_NETWORK
    settings.REQUIRE_VERIFIED_MERCHANTS = True


@pytest.fixture
def free(db: None) -> Merchant:
    """A merchant that has just registered itself."""
    merchant: Merchant = MerchantFactory(status="unverified")
    return merchant


@pytest.fixture
def searching(free: Merchant) -> Iterator[Merchant]:
    """The same merchant, while a search of its takes the database seconds."""
    with self_service_searches.hold(free.id):
        yield free


def may_search(merchant: Merchant) -> bool:
    """Return whether no search of a merchant is under way."""
    try:
        with self_service_searches.hold(merchant.id):
            return True
    except ConcurrencyLimitReached:
        return False


@pytest.mark.parametrize("address", [f"{path}?q=coffee" for path in LISTS] + [CSV])
def test_a_second_search_is_refused_while_the_first_is_under_way(
    api: Api, searching: Merchant, address: str
) -> None:
    refused = api(searching).get(address)

    assert (refused.status_code, refused.json()["code"]) == (429, "RATE_LIMITED")
    assert refused["Retry-After"] == "1"


@pytest.mark.parametrize("path", LISTS)
def test_other_lists_are_read_meanwhile(api: Api, searching: Merchant, path: str) -> None:
    assert api(searching).get(path).status_code == 200
    assert api(searching).get(path, {"limit": "1"}).status_code == 200


@pytest.mark.usefixtures("searching")
@pytest.mark.parametrize("path", LISTS)
def test_a_verified_merchant_searches_meanwhile(api: Api, merchant: Merchant, path: str) -> None:
    for _ in range(2):
        assert api(merchant).get(path, {"q": "coffee"}).status_code == 200


def test_in_development_any_number_search(
    api: Api, searching: Merchant, settings: Settings
) -> None:
    settings.VISITOR_SECONDS_PER_NETWORK = 0

    assert api(searching).get(LISTS[0], {"q": "coffee"}).status_code == 200


def test_a_quarter_of_the_threads_search_at_most() -> None:
    assert config.settings.WEB_THREADS == 8
    with self_service_searches.hold("mer_1"):
        assert may_search(Merchant(id="mer_2"))
        with self_service_searches.hold("mer_2"):
            assert not may_search(Merchant(id="mer_3"))


def test_a_search_holds_its_slot_until_it_ends_however_it_ends(
    api: Api, free: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    payment = PaymentFactory(merchant=free, description="Two coffees")
    held: list[bool] = []
    fetch = QuerySet._fetch_all

    def look(rows: QuerySet[Merchant]) -> None:
        held.append(not may_search(free))
        fetch(rows)

    monkeypatch.setattr(QuerySet, "_fetch_all", look)
    found = api(free).get(LISTS[0], {"q": "coffee", "start_date": "2020-01-01"})
    assert [each["id"] for each in found.json()["payments"]] == [payment.id]
    assert any(held)

    assert api(free).get(LISTS[0], {"q": "coffee", "starting_after": "pay_1"}).status_code == 400
    assert may_search(free)
