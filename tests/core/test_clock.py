"""The clock is read once for each request."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib import import_module
from itertools import count

import pytest
from django.conf import settings

from core.clock import SKEW, not_before, one_instant, request_now
from core.models import IdempotencyKey
from merchants.models import Merchant
from payments.models import Payment
from tests.client import Api
from webhooks.models import Event

START = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


@pytest.fixture(autouse=True)
def reads(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Let each look at the clock of a request find it a minute later; count the looks.

    What is imported while it stands keeps this clock, and counts as a look: all is imported before.
    """
    for module in (settings.ROOT_URLCONF, "tests.factories"):
        import_module(module)
    looks = count()
    monkeypatch.setattr("core.clock.utc_now", lambda: START + timedelta(minutes=next(looks)))
    return looks


def test_it_is_the_same_instant_as_often_as_it_is_asked_for() -> None:
    with one_instant():
        first = request_now()
        assert request_now() == first == START

    assert request_now() == START + timedelta(minutes=1)


def test_it_is_of_this_request_also_after_one_that_failed() -> None:
    with pytest.raises(ZeroDivisionError), one_instant():
        raise ZeroDivisionError

    assert request_now() == START + timedelta(minutes=1)


@pytest.mark.django_db
def test_all_rows_of_a_request_have_its_instant(api: Api, merchant: Merchant) -> None:
    client = api(merchant)
    response = client.post("/v1/payments", {"amount": 1_250}, idempotency_key="once")

    assert response.status_code == 201
    at = Payment.objects.get().created_at
    assert at == START
    assert IdempotencyKey.objects.get().created_at == at
    assert Event.objects.get().created_at == at

    client.post("/v1/payments", {"amount": 1_250}, idempotency_key="twice")
    assert Payment.objects.latest("created_at").created_at == START + timedelta(minutes=1)


@pytest.mark.parametrize(
    ("earlier", "expected"),
    [
        (-SKEW, START),
        (timedelta(0), START),
        (timedelta(milliseconds=1), START + timedelta(milliseconds=1)),
        (SKEW, START),  # a clock that was plainly wrong
    ],
)
def test_what_follows_is_not_recorded_as_earlier(earlier: timedelta, expected: datetime) -> None:
    assert not_before(START + earlier, START) == expected
