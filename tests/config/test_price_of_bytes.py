"""What a stranger has us store is paid for: a disk fills up without processor time.

One free test key of one network could store a hundred gigabytes a day, and was never refused.
"""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

import config.settings
from core.clock import utc_now
from core.stored_bytes import SECONDS_PER_BYTE
from core.visitor_budget import TESTER_BURST_SECONDS, testers, visitors
from merchants.models import Merchant
from payments.models import Payment
from tests.client import Api
from tests.factories import MerchantFactory
from webhooks.log_prices import LOG_BYTES
from webhooks.models import Delivery

NETWORK = "127.0.0.0/24"
FAT = {f"key {number}": "x" * 500 for number in range(20)}
METADATA_BYTES = 10_000
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def limited(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the limits be those of production, and no request take any processor time."""
    settings.VISITOR_SECONDS_PER_NETWORK = config.settings.VISITOR_SECONDS_PER_NETWORK
    settings.REQUIRE_VERIFIED_MERCHANTS = True
    monkeypatch.setattr("config.visitors.time.thread_time", lambda: 0.0)
    monkeypatch.setattr("core.statement_time.ORDINARY_SECONDS", 3_600)


@pytest.fixture
def stranger() -> Merchant:
    return MerchantFactory(status="unverified")


def test_a_free_key_is_refused_before_it_fills_the_disk(api: Api, stranger: Merchant) -> None:
    order = {
        "payment_mode": "ORDER_PAY",
        "line_items": [{"name": "x" * 255, "quantity": 1, "price": 1}] * 200,
    }
    answers = {api(stranger).post("/v1/payments", order).status_code for _ in range(60)}

    assert answers == {201, 429}
    assert Payment.objects.count() * len(json.dumps(order)) < 4_000_000


def test_a_stranger_is_refused_before_the_log_is_full(
    lines: Callable[[], list[dict[str, Any]]],
) -> None:
    """One network wrote 40 MB a minute: in half a day, what is kept for a year had to leave."""
    stranger = Client()

    answers = [stranger.get(f"/v1/{'x' * 2_000}").status_code for _ in range(600)]

    assert set(answers) == {404, 429}
    assert len(lines()) == answers.count(404)


def test_metadata_that_was_sent_once_is_paid_for_with_each_event(
    api: Api, stranger: Merchant
) -> None:
    """A counter copies its metadata into each payment there, and each payment into its events."""
    counter = api(stranger).post("/v1/payments", {"payment_mode": "STATIC_PAY", "metadata": FAT})
    testers.clear()

    paid = api(stranger).post(f"/v1/payments/{counter.json()['id']}/confirm", {"amount": 1})

    assert paid.status_code == 200
    assert testers._debts[NETWORK][0] > 2 * METADATA_BYTES * SECONDS_PER_BYTE


@pytest.mark.parametrize("livemode", [False, True])
def test_the_log_of_each_delivery_is_paid_for(
    api: Api, merchant: Merchant, livemode: bool, settings: Settings
) -> None:
    """Ten endpoints of a stranger's answer each event with a kilobyte that is kept for months."""
    settings.REQUIRE_VERIFIED_MERCHANTS = False
    Merchant.objects.update(status="unverified")
    shop = api(merchant, live=livemode)
    for _ in range(10):
        made = shop.post("/v1/webhooks", {"url": "https://shop.example.com/hooks", "events": ["*"]})
        assert made.status_code == 201
    testers.clear()
    visitors.clear()

    assert shop.post("/v1/payments", {"amount": 1}).status_code == 201

    spent = testers._debts.get(NETWORK, (0.0,))[0]
    assert (spent > 10 * LOG_BYTES * SECONDS_PER_BYTE) is not livemode


def test_recovering_many_deliveries_is_paid_for(api: Api, stranger: Merchant) -> None:
    body = {"url": "https://shop.example.com/hooks", "events": ["*"]}
    webhook = api(stranger).post("/v1/webhooks", body).json()["id"]
    for _ in range(5):
        api(stranger).post("/v1/payments", {"amount": 1})
    ended = {"status": "failed", "next_attempt_at": None, "ended_at": utc_now()}
    Delivery.objects.update(**ended)
    testers.clear()

    since = {"since": "2020-01-01T00:00:00Z"}
    found = api(stranger).post(f"/v1/webhooks/{webhook}/recover", since)

    assert found.json()["deliveries"] == 5
    assert testers._debts[NETWORK][0] > 5 * LOG_BYTES * SECONDS_PER_BYTE


@pytest.mark.parametrize("livemode", [False, True])
def test_who_presses_a_button_pays_for_what_a_test_copies(
    api: Api, merchant: Merchant, livemode: bool
) -> None:
    link = api(merchant, live=livemode).post("/v1/payment-links", {"amount": 1, "metadata": FAT})
    visitors.clear()

    pressed = Client().post(f"/pay/{merchant.slug}/{link.json()['id']}/button")

    assert pressed.status_code in (200, 201)
    assert (visitors._debts[NETWORK][0] > METADATA_BYTES * SECONDS_PER_BYTE) is not livemode


def test_an_ordinary_test_costs_next_to_nothing(api: Api, stranger: Merchant) -> None:
    api(stranger).post("/v1/payments", {"amount": 1250, "metadata": {"order": "1001"}})

    assert testers._debts[NETWORK][0] < TESTER_BURST_SECONDS / 1_000


def test_the_key_of_a_verified_merchant_pays_nothing(api: Api, merchant: Merchant) -> None:
    api(merchant).post("/v1/payments", {"amount": 1250, "metadata": FAT})

    assert NETWORK not in testers._debts
