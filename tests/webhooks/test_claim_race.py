"""One delivery asked for twice at the same time goes out once."""

import threading
import time

import pytest
from django.db import connection, connections, transaction

from core.database_clock import database_now
from merchants.models import Merchant
from tests.webhooks.conftest import MakeEndpoint
from tests.webhooks.dispatching import emit_event, only_delivery
from webhooks.delivery.leases import claim_delivery

WAIT_SECONDS = 20
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


def _wait_for_a_lock() -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline:
        with connection.cursor() as cursor:
            cursor.execute(WAITING)
            if cursor.fetchone() != (0,):
                return
        time.sleep(0.01)
    pytest.fail("The second claim did not wait for the first.")
