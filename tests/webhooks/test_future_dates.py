"""An event written with a clock that is ahead is sent now, not when that time would have come."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
import time_machine
from django.db import connection
from pytest_django import Settings

from config.waiting_work import may_find_work
from core.clock import SKEW, utc_now
from core.database_clock import database_now
from merchants.models import Merchant
from tests.webhooks.conftest import MakeEndpoint
from tests.webhooks.dispatching import MANY, emit_event, only_delivery, send_due
from webhooks.delivery.future_dates import correct_future_dates
from webhooks.delivery.leases import claim_due_deliveries, lease_until
from webhooks.models import Delivery
from webhooks.statuses import DeliveryStatus
from webhooks.tasks import tidy_webhooks

AHEAD = timedelta(hours=2)


def _ahead(act: Callable[..., object], *given: object) -> None:
    with time_machine.travel(utc_now() + AHEAD):
        act(*given)


def test_what_a_web_server_with_a_clock_ahead_wrote_is_sent_now(
    merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook = endpoint()
    _ahead(emit_event, merchant)
    assert may_find_work("tidy webhooks", now=utc_now()) == (connection.vendor == "sqlite")

    tidy_webhooks()

    assert send_due() == 1
    assert only_delivery(webhook).status == DeliveryStatus.DELIVERED


@pytest.mark.sqlite
def test_a_lease_taken_with_a_clock_ahead_ends_as_one_taken_now(
    merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook = endpoint()
    emit_event(merchant)
    assert claim_due_deliveries(free=MANY, now=database_now() + AHEAD).taken
    now = database_now()

    assert may_find_work("tidy webhooks", now=now)
    assert [correct_future_dates(now=now) for _ in range(2)] == [1, 0]

    assert not may_find_work("tidy webhooks", now=now)
    assert only_delivery(webhook).next_attempt_at == lease_until(now)
    assert send_due(lease_until(now)) == 1


@pytest.mark.sqlite
@pytest.mark.parametrize("ahead", [timedelta(0), SKEW - timedelta(seconds=1)])
def test_a_lease_of_a_clock_that_differs_a_little_is_kept_however_long_leases_are(
    merchant: Merchant, endpoint: MakeEndpoint, settings: Settings, ahead: timedelta
) -> None:
    settings.WEBHOOK_TIMEOUT_SECONDS = 60
    endpoint()
    now = database_now()
    emit_event(merchant)
    assert claim_due_deliveries(free=MANY, now=database_now() + ahead).taken

    assert correct_future_dates(now=now) == 0


@pytest.mark.sqlite
def test_what_is_postponed_keeps_its_date(merchant: Merchant, endpoint: MakeEndpoint) -> None:
    webhook = endpoint()
    now = database_now()
    with time_machine.travel(now + SKEW - timedelta(seconds=1)):
        emit_event(merchant)
    postponed_to = now + 3 * SKEW
    Delivery.objects.update(next_attempt_at=postponed_to)

    assert correct_future_dates(now=now) == 0

    assert only_delivery(webhook).next_attempt_at == postponed_to


@pytest.mark.sqlite
@pytest.mark.parametrize("ahead", [timedelta(0), SKEW - timedelta(seconds=1)])
def test_clocks_of_two_processes_may_differ_a_little(
    merchant: Merchant, endpoint: MakeEndpoint, ahead: timedelta
) -> None:
    endpoint()
    now = database_now()
    with time_machine.travel(now + ahead):
        emit_event(merchant)

    assert correct_future_dates(now=now) == 0


@pytest.mark.sqlite
def test_a_retry_keeps_its_date_whenever_the_event_was_written(
    merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook = endpoint("/say/500,200")
    _ahead(emit_event, merchant)
    tidy_webhooks()
    assert send_due() == 1
    retry_at = only_delivery(webhook).next_attempt_at
    assert retry_at is not None
    assert retry_at > database_now() + SKEW

    assert correct_future_dates(now=database_now()) == 0

    assert only_delivery(webhook).next_attempt_at == retry_at


@pytest.mark.sqlite
def test_what_has_ended_stays_ended(merchant: Merchant, endpoint: MakeEndpoint) -> None:
    endpoint()
    _ahead(emit_event, merchant)
    now: datetime = database_now()
    Delivery.objects.update(status="canceled", next_attempt_at=None, ended_at=now)

    assert correct_future_dates(now=now) == 0
