"""One delivery asked for twice at the same time goes out once."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import partial

import pytest
from django.db import connection, connections, transaction

from core.database_clock import database_now
from merchants.models import Merchant
from outbound.results import HttpResult
from tests.races import at_once, wait_for_a_waiter
from tests.webhooks.conftest import MakeEndpoint
from tests.webhooks.dispatching import MANY, emit_event, only_delivery
from webhooks.delivery import leases, order
from webhooks.delivery.lanes import Lane
from webhooks.delivery.leases import Claim, claim_delivery, claim_due_deliveries
from webhooks.delivery.outcomes import record_result
from webhooks.models import Delivery, Webhook

WAIT_SECONDS = 40  # where others have the machine
WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted"


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_the_second_caller_waits_and_gets_nothing(
    merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook = endpoint()
    emit_event(merchant)
    delivery_id = only_delivery(webhook).id
    second: list[object] = []

    def claim() -> None:
        try:
            second.append(claim_delivery(delivery_id, now=database_now()))
        finally:
            connections.close_all()

    racer = threading.Thread(target=claim)
    with transaction.atomic():
        first = claim_delivery(delivery_id, now=database_now())
        racer.start()
        _wait_for_a_lock()
    racer.join(WAIT_SECONDS)

    assert first is not None
    assert second == [None]
    assert only_delivery(webhook).lease_token == first.token
    assert only_delivery(webhook).attempt_count == 1


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_an_endpoint_for_which_another_process_claims_is_passed_over(
    merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook = endpoint()
    emit_event(merchant)

    def claim() -> list[Claim]:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '1s'")
        return claim_due_deliveries(free=MANY, now=database_now()).taken

    with transaction.atomic():
        Webhook.objects.select_for_update(no_key=True).get()
        [taken] = at_once([claim])

    assert taken == []
    assert only_delivery(webhook).attempt_count == 0


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_failure_that_waits_for_its_endpoint_holds_no_delivery(
    merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    """Who sends one again locks both, first the endpoint: the two would block each other."""
    webhook = endpoint()
    emit_event(merchant)
    [claim] = claim_due_deliveries(free=MANY, now=database_now()).taken
    broken = HttpResult(ms=5, status=500, error="Answered 500.")

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            Webhook.objects.select_for_update(no_key=True).get()
            recording = pool.submit(at_once, [partial(record_result, claim, broken)])
            wait_for_a_waiter()
            Delivery.objects.select_for_update(no_key=True, nowait=True).get()
        assert recording.result() == [None]

    assert only_delivery(webhook).lease_token == ""


def test_one_that_is_claimed_out_of_turn_meanwhile_is_left(
    merchant: Merchant, endpoint: MakeEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhook = endpoint()
    emit_event(merchant)
    delivery_id, found = only_delivery(webhook).id, order.next_in_turn
    asked_for: list[Claim | None] = []

    def found_late(webhook_id: str, capacity: int, *, now: datetime) -> tuple[list[str], bool]:
        due = found(webhook_id, capacity, now=now)
        asked_for.append(claim_delivery(delivery_id, now=now))
        return due

    monkeypatch.setattr(leases, "next_in_turn", found_late)
    batch = claim_due_deliveries(free=dict.fromkeys(Lane, 4), now=database_now())

    assert batch.taken == []
    assert asked_for[0] is not None
    assert only_delivery(webhook).lease_token == asked_for[0].token
    assert only_delivery(webhook).attempt_count == 1


def _wait_for_a_lock() -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline:
        with connection.cursor() as cursor:
            cursor.execute(WAITING)
            if cursor.fetchone() != (0,):
                return
        time.sleep(0.01)
    pytest.fail("The second claim did not wait for the first.")
