"""What a stranger has us store is paid for: a disk fills up without processor time.

One free test key of one network could store a hundred gigabytes a day, and was never refused.
"""

import json

import pytest
from django.test import Client
from pytest_django import Settings

import config.settings
from core.stored_bytes import SECONDS_PER_BYTE
from core.visitor_budget import TESTER_BURST_SECONDS, budget, testers
from merchants.models import Merchant
from payments.models import Payment
from tests.client import Api
from tests.factories import MerchantFactory

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
def test_who_presses_a_button_pays_for_what_a_test_copies(
    api: Api, merchant: Merchant, livemode: bool
) -> None:
    link = api(merchant, live=livemode).post("/v1/payment-links", {"amount": 1, "metadata": FAT})
    budget.clear()

    pressed = Client().post(f"/pay/{merchant.slug}/{link.json()['id']}/button")

    assert pressed.status_code in (200, 201)
    assert (budget._debts[NETWORK][0] > METADATA_BYTES * SECONDS_PER_BYTE) is not livemode


def test_an_ordinary_test_costs_next_to_nothing(api: Api, stranger: Merchant) -> None:
    api(stranger).post("/v1/payments", {"amount": 1250, "metadata": {"order": "1001"}})

    assert testers._debts[NETWORK][0] < TESTER_BURST_SECONDS / 1_000


def test_the_key_of_a_verified_merchant_pays_nothing(api: Api, merchant: Merchant) -> None:
    api(merchant).post("/v1/payments", {"amount": 1250, "metadata": FAT})

    assert NETWORK not in testers._debts
