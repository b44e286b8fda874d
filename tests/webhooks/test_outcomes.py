"""What an attempt leaves on the record of its endpoint, and the figures that decide it."""

from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from core.database_clock import database_now
from merchants.models import Merchant
from messages.models import Message
from outbound.results import HttpResult
from tests.webhooks.conftest import MakeEndpoint
from tests.webhooks.dispatching import MANY, emit_event, only_delivery
from webhooks.delivery.leases import claim_delivery, claim_due_deliveries, lease_until
from webhooks.delivery.outcomes import record_result
from webhooks.delivery.signing import signature_headers

MOMENT = timedelta(milliseconds=1)
OFF = {"is_active": False, "disabled_reason": "requested"}
DELETED = {"deleted_at": datetime(2026, 3, 18, tzinfo=UTC)}
BROKEN = HttpResult(ms=5, status=500, error="Answered 500.")


def _attempt(merchant: Merchant, result: HttpResult) -> datetime:
    """Record the outcome of an attempt; return when it began."""
    emit_event(merchant)
    [claim] = claim_due_deliveries(free=MANY, now=database_now()).taken
    record_result(claim, result)
    return claim.at


def test_a_success_soon_after_another_still_ends_the_failures_between(
    merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook = endpoint()
    _attempt(merchant, HttpResult(ms=5, status=200))
    began_at = _attempt(merchant, BROKEN)
    webhook.refresh_from_db()
    assert (webhook.failures, webhook.failing_since) == (1, began_at)

    _attempt(merchant, HttpResult(ms=5, status=200))

    webhook.refresh_from_db()
    assert (webhook.failures, webhook.failing_since) == (0, None)


@pytest.mark.parametrize(("ms", "is_slow"), [(3_000, False), (3_001, True)])
@pytest.mark.parametrize("status", [200, 500])
def test_an_endpoint_is_slow_above_three_seconds(
    merchant: Merchant, endpoint: MakeEndpoint, ms: int, status: int, is_slow: bool
) -> None:
    webhook = endpoint()

    _attempt(merchant, HttpResult(ms=ms, status=status))

    webhook.refresh_from_db()
    assert webhook.is_slow is is_slow


def test_that_an_endpoint_becomes_slow_or_quick_is_written_at_once(
    merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook, told = endpoint(), []
    for ms in (5, 3_001, 5):
        _attempt(merchant, HttpResult(ms=ms, status=200))
        webhook.refresh_from_db()
        told.append(webhook.is_slow)

    assert told == [False, True, False]


def test_a_healthy_endpoint_is_written_once_an_hour(
    merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook = endpoint()
    _attempt(merchant, HttpResult(ms=5, status=200))
    webhook.refresh_from_db()
    first = webhook.last_success_at
    assert first is not None

    _attempt(merchant, HttpResult(ms=5, status=200))
    webhook.refresh_from_db()
    assert webhook.last_success_at == first

    type(webhook).objects.update(last_success_at=first - timedelta(hours=1))
    _attempt(merchant, HttpResult(ms=5, status=200))
    webhook.refresh_from_db()
    assert webhook.last_success_at is not None
    assert webhook.last_success_at > first


def test_a_success_ends_the_pause(merchant: Merchant, endpoint: MakeEndpoint) -> None:
    webhook, other = endpoint(), endpoint(events=("refund.created",))
    now = database_now()
    type(webhook).objects.update(paused_until=now, failures=10, failing_since=now)

    _attempt(merchant, HttpResult(ms=5, status=200))

    webhook.refresh_from_db()
    assert (webhook.failures, webhook.failing_since, webhook.paused_until) == (0, None, None)
    other.refresh_from_db()
    assert (other.failures, other.paused_until, other.last_success_at) == (10, now, None)


def test_a_lease_that_ran_out_can_be_claimed_by_name_at_that_instant(
    merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook = endpoint()
    emit_event(merchant)
    [lost] = claim_due_deliveries(free=MANY, now=database_now()).taken
    ends_at = only_delivery(webhook).next_attempt_at
    assert ends_at is not None

    assert claim_delivery(lost.delivery.id, now=ends_at - timedelta(microseconds=1)) is None
    again = claim_delivery(lost.delivery.id, now=ends_at)

    assert again is not None
    assert again.token != lost.token


def test_a_lease_is_three_times_the_timeout(settings) -> None:
    settings.WEBHOOK_TIMEOUT_SECONDS = 15
    noon = datetime(2026, 3, 18, 12, tzinfo=UTC)

    assert lease_until(noon) == datetime(2026, 3, 18, 12, 0, 45, tzinfo=UTC)


def test_the_headers_of_an_instant_are_these() -> None:
    at = datetime(2026, 3, 18, 12, 0, 0, 999_000, tzinfo=UTC)
    secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

    headers = signature_headers(event_id="evt_1", body=b"{}", at=at, secret=secret, previous=None)

    assert headers["X-Service-Timestamp"] == "1773835200999"
    assert headers["webhook-timestamp"] == "1773835200"
    assert list(headers) == [
        "X-Service-Signature",
        "X-Service-Timestamp",
        "webhook-id",
        "webhook-timestamp",
        "webhook-signature",
    ]

    sign = partial(signature_headers, event_id="evt_1", body=b"{}", at=at)
    old = "whsec_MDEyMDEyMDEyMDEyMDEyMDEyMDEyMDEyMDEyMDEyMDE="
    before, both = sign(secret=old, previous=None), sign(secret=secret, previous=old)
    name = "webhook-signature"
    assert both[name] == f"{headers[name]} {before[name]}"


DAYS, MINUTES = timedelta(days=5), timedelta(minutes=5)


@pytest.mark.parametrize(
    ("failures", "since", "change", "outcome"),
    [
        (0, MINUTES - MOMENT, {}, ("", False, None, [])),
        (0, MINUTES, {}, ("", True, None, ["unhealthy"])),
        (0, MINUTES, OFF, ("requested", True, None, [])),
        (8, MOMENT, {}, ("", False, None, [])),
        (9, MOMENT, {}, ("", False, 30, [])),
        (3, DAYS, {}, ("", True, None, ["unhealthy"])),
        (4, DAYS - MOMENT, {}, ("", True, None, ["unhealthy"])),
        (4, DAYS, {}, ("failing", True, None, ["failing"])),
        (4, DAYS, OFF, ("requested", True, None, [])),
        (4, DAYS, DELETED, ("", True, None, [])),
    ],
)
def test_the_instants_at_which_an_endpoint_is_told_of_paused_and_switched_off(
    merchant: Merchant,
    endpoint: MakeEndpoint,
    failures: int,
    since: timedelta,
    change: dict[str, object],
    outcome: tuple[object, ...],
) -> None:
    webhook, other = endpoint(), endpoint(events=("refund.created",))
    before = type(other).objects.values().get(pk=other.pk)
    emit_event(merchant)
    [claim] = claim_due_deliveries(free=MANY, now=database_now()).taken
    ended_at = claim.at + timedelta(seconds=2)
    began = {"failures": failures, "failing_since": ended_at - since}
    type(webhook).objects.filter(pk=webhook.pk).update(**began | change)

    record_result(claim, HttpResult(ms=2_000, status=500))

    webhook.refresh_from_db()
    alarmed = webhook.alarmed_at == ended_at
    paused = webhook.paused_until and (webhook.paused_until - ended_at).total_seconds()
    kinds = list(Message.objects.values_list("kind", flat=True))
    assert (webhook.disabled_reason, alarmed, paused, kinds) == outcome
    assert webhook.is_active is (webhook.disabled_reason == "")
    assert (webhook.failures, webhook.last_error) == (failures + 1, "It answered 500.")
    assert webhook.updated_at == (ended_at if outcome[0] == "failing" else webhook.created_at)
    assert type(other).objects.values().get(pk=other.pk) == before
    [attempt] = only_delivery(webhook).attempts.all()
    assert (attempt.number, attempt.attempted_at, attempt.ms) == (1, claim.at, 2_000)
