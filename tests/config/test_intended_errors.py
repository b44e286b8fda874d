"""No stranger wakes who is on call: what anyone can ask for is no error of ours.

One free test key with `Simulate-Error: INTERNAL_ERROR`, or eight posters at once, made more than a
hundredth of all responses a 5xx, which pages; a single one wrote an error to the log, which is a
ticket.
"""

import logging
from collections.abc import Callable

import pytest
from django.test import Client
from prometheus_client import REGISTRY

from core import concurrency
from core.concurrency import ConcurrencyLimit
from links.models import PaymentLink
from merchants.models import Merchant
from tests.client import Api

pytestmark = pytest.mark.django_db


def counted() -> tuple[float, float]:
    """Return how many 5xx were answered so far, and how many of them on purpose."""
    answered = sum(
        sample.value
        for metric in REGISTRY.collect()
        for sample in metric.samples
        if sample.name == "django_http_responses_total_by_status_total"
        and sample.labels["status"].startswith("5")
    )
    return answered, REGISTRY.get_sample_value("server_errors_intended_total") or 0


@pytest.fixture
def poster(api: Api, merchant: Merchant, monkeypatch: pytest.MonkeyPatch) -> str:
    """The path of a poster, while others are drawn."""
    monkeypatch.setattr(concurrency, "_drawings", full := ConcurrencyLimit(1))
    full._free.acquire()
    made = api(merchant).post("/v1/payment-links", {"amount": 100}).json()
    link = PaymentLink.objects.get(pk=made["id"])
    return f"/pay/{merchant.slug}/{link.pk}/poster-a4.pdf"


@pytest.mark.parametrize("code", ["INTERNAL_ERROR", "SERVICE_UNAVAILABLE"])
def test_a_simulated_error_raises_no_alarm(
    api: Api, merchant: Merchant, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert_no_alarm(
        lambda: api(merchant).get("/v1/balance", simulate_error=code).status_code, caplog
    )


def test_a_refused_poster_raises_no_alarm(poster: str, caplog: pytest.LogCaptureFixture) -> None:
    assert_no_alarm(lambda: Client().get(poster).status_code, caplog)


def assert_no_alarm(ask: Callable[[], int], caplog: pytest.LogCaptureFixture) -> None:
    answered, intended = counted()
    caplog.clear()

    assert ask() >= 500
    assert counted() == (answered + 1, intended + 1)
    assert [each for each in caplog.records if each.levelno >= logging.ERROR] == []


def test_what_is_asked_for_and_refused_for_another_reason_hides_no_fault(
    api: Api, merchant: Merchant
) -> None:
    before = counted()

    assert api(merchant).get("/v1/balance", simulate_error="CONFLICT").status_code == 409
    assert api(None).get("/v1/balance", simulate_error="INTERNAL_ERROR").status_code == 401
    assert counted() == before


def test_a_fault_of_ours_is_one(
    api: Api, merchant: Merchant, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("payouts.views.balances_of", lambda **_: 1 / 0)
    answered, intended = counted()

    assert api(merchant).get("/v1/balance").status_code == 500
    assert counted() == (answered + 1, intended)
    assert any(each.levelno >= logging.ERROR for each in caplog.records)
