"""The threads that send, awake together."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError, connections

from core.clock import utc_now
from merchants.models import Merchant
from outbound.results import HttpResult
from tests.factories import MerchantFactory
from tests.webhooks.dispatching import emit_event, endpoint_of
from tests.webhooks.receiver import Receiver
from webhooks.delivery import dispatcher as sending
from webhooks.delivery.dispatcher import THREADS, Dispatcher
from webhooks.delivery.leases import claim_due_deliveries
from webhooks.delivery.outcomes import record_result
from webhooks.event_types import EventType
from webhooks.models import Attempt, Delivery, Webhook
from webhooks.statuses import DeliveryStatus

pytestmark = pytest.mark.django_db(transaction=True)
WAIT_SECONDS = 40  # where others have the machine


@pytest.fixture
def merchant() -> Merchant:
    return MerchantFactory.create()


@pytest.fixture
def sender():
    made = Dispatcher()
    yield made
    wait_until(lambda: is_idle(made))
    for pool in made._pools.values():
        pool.submit(connections.close_all)
        pool.shutdown()


def is_idle(sender: Dispatcher) -> bool:
    return sender._free == THREADS


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def all_delivered() -> bool:
    return not Delivery.objects.exclude(status=DeliveryStatus.DELIVERED).exists()


def test_one_wake_sends_all_that_waits(
    merchant: Merchant, sender: Dispatcher, receiver: Receiver
) -> None:
    path = f"/say/200/sender-{time.monotonic_ns()}"
    endpoint_of(merchant, receiver.url(path))
    events = [emit_event(merchant).id for _ in range(30)]

    sender.wake()

    wait_until(all_delivered)
    told = [request.headers["webhook-id"] for request in receiver.received(path)]
    assert sorted(told) == sorted(events)


def test_no_endpoint_has_more_than_four_requests_at_once(
    merchant: Merchant, sender: Dispatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, go_on = threading.Lock(), threading.Event()
    under_way, most = Counter[str](), Counter[str]()

    def attempt(claim) -> HttpResult:
        name = claim.delivery.webhook_id
        with lock:
            under_way[name] += 1
            most[name] = max(most[name], under_way[name])
        go_on.wait(WAIT_SECONDS)
        with lock:
            under_way[name] -= 1
        return HttpResult(ms=30, status=200)

    monkeypatch.setattr(sending, "attempt", attempt)
    for number in range(3):
        endpoint_of(merchant, f"https://shop{number}.example.com/")
    Webhook.objects.update(last_success_at=utc_now())
    for _ in range(25):
        emit_event(merchant)

    started = sender.wake()
    wait_until(lambda: under_way.total() == started)

    assert (started, sender.wake(), max(under_way.values())) == (12, 0, 4)
    go_on.set()
    wait_until(all_delivered)
    assert max(most.values()) == 4


@pytest.mark.parametrize("record", [{"failures": 20, "failing_since": utc_now()}, {}])
def test_endpoints_that_hang_delay_no_one(
    merchant: Merchant, sender: Dispatcher, monkeypatch: pytest.MonkeyPatch, record: dict[str, Any]
) -> None:
    """Far more of them than there are threads, whether they have failed before or are new."""
    over = threading.Event()
    ended: list[Any] = []

    def attempt(claim) -> HttpResult:
        if claim.delivery.webhook_id == well.id:
            return HttpResult(ms=1, status=200)
        over.wait(2 * WAIT_SECONDS)
        ended.append(claim)
        return HttpResult(ms=15_000, error="No complete answer within 15 seconds.")

    monkeypatch.setattr(sending, "attempt", attempt)
    dead = [endpoint_of(merchant, f"https://dead{n}.example.com/") for n in range(80)]
    Webhook.objects.filter(pk__in=[each.pk for each in dead]).update(is_slow=False, **record)
    well = endpoint_of(merchant, "https://well.example.com/")
    Webhook.objects.filter(pk=well.pk).update(last_success_at=utc_now(), events=["payment.failed"])
    emit_event(merchant)
    sender.wake()

    emit_event(merchant, EventType.PAYMENT_FAILED)
    sender.wake()
    wait_until(lambda: Delivery.objects.filter(webhook=well, status="delivered").exists())

    assert ended == []
    over.set()
    wait_until(lambda: is_idle(sender))


def test_a_result_waits_for_a_database_that_is_away(
    merchant: Merchant, sender: Dispatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = iter([True, True])

    def record_later(claim, answer: HttpResult) -> None:
        if next(failures, False):
            raise OperationalError("the database is restarting")
        record_result(claim, answer)

    monkeypatch.setattr(sending, "attempt", lambda _claim: HttpResult(ms=1, status=200))
    monkeypatch.setattr(sending, "record_result", record_later)
    endpoint_of(merchant, "https://shop.example.com/")
    emit_event(merchant)

    sender.wake()

    wait_until(all_delivered)
    assert Attempt.objects.count() == 1


def test_at_the_end_of_the_process_claims_are_given_back(
    merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint_of(merchant, "https://shop.example.com/")
    emit_event(merchant)
    ending = Dispatcher()
    for pool in ending._pools.values():
        pool.shutdown()

    ending.wake()

    [delivery] = Delivery.objects.all()
    assert (delivery.lease_token, delivery.attempt_count) == ("", 0)
    assert is_idle(ending)


def test_who_finds_another_claiming_leaves_word(
    merchant: Merchant, sender: Dispatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    claiming, go_on = threading.Event(), threading.Event()
    looks: list[int] = []

    def claim_slowly(**given):
        looks.append(1)
        claiming.set()
        go_on.wait(WAIT_SECONDS)
        return claim_due_deliveries(**given)

    monkeypatch.setattr(sending, "claim_due_deliveries", claim_slowly)

    def wake() -> None:
        sender.wake()
        connections.close_all()

    first = threading.Thread(target=wake)
    first.start()
    claiming.wait(WAIT_SECONDS)

    assert sender.wake() == 0
    go_on.set()
    first.join(WAIT_SECONDS)

    assert len(looks) == 2


def test_one_process_has_one_dispatcher(monkeypatch: pytest.MonkeyPatch) -> None:
    woken: list[object] = []

    class Counting:
        def wake(self) -> int:
            woken.append(self)
            return len(woken)

    monkeypatch.setattr(sending, "_dispatcher", None)
    monkeypatch.setattr(sending, "Dispatcher", Counting)

    assert [sending.send_due_deliveries(), sending.send_due_deliveries()] == [1, 2]
    assert woken[0] is woken[1]
