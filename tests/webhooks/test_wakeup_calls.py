"""How a wakeup is sent, without a broker: what it is asked for, and what a failure costs."""

import os
import threading
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest
from kombu.exceptions import ChannelError

from core.clock import utc_now
from merchants.callers import Caller
from merchants.models import Merchant
from tests.client import Api
from tests.factories import MerchantFactory
from tests.webhooks.conftest import MakeEndpoint
from tests.webhooks.dispatching import emit_event
from webhooks.delivery import wakeup
from webhooks.delivery.wakeup import WakeupPublisher, _has_broker
from webhooks.event_types import EventType
from webhooks.models import Delivery
from webhooks.test_event import send_sample_event

SENT = {"retry": False, "ignore_result": True, "expires": 10}


class Broker:
    """Celery's side of it: what was sent, over which connections, with how much in the queue."""

    def __init__(self) -> None:
        self.conf = SimpleNamespace(
            broker_url="redis://broker", broker_transport_options={"visibility_timeout": 60}
        )
        self.queued: int | Exception = 0
        self.sent, self.connected = list[dict[str, Any]](), list[dict[str, Any]]()
        self.asked = list[tuple[Any, ...]]()

    def queue_declare(self, *names: str, **options: Any) -> SimpleNamespace:
        self.asked.append((*names, options))
        if isinstance(self.queued, Exception):
            raise self.queued
        return SimpleNamespace(message_count=self.queued)

    def connection_for_write(self, **options: Any) -> SimpleNamespace:
        self.connected.append(options)
        return SimpleNamespace(default_channel=self, number=len(self.connected))

    def send_task(self, name: str, connection: Any, **options: Any) -> None:
        self.sent.append({"name": name, "over": connection.number} | options)


@pytest.fixture
def broker(monkeypatch: pytest.MonkeyPatch) -> Broker:
    made = Broker()
    monkeypatch.setattr(wakeup, "current_app", made)
    monkeypatch.setattr(wakeup, "_has_broker", cache(_has_broker.__wrapped__))
    return made


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The threads that were made, and none that runs."""
    made = list[dict[str, Any]]()

    def thread(**options: Any) -> SimpleNamespace:
        return SimpleNamespace(start=lambda: made.append(options))

    monkeypatch.setattr(threading, "Thread", thread)
    return made


def test_it_is_sent_over_one_connection_that_gives_up_at_once(
    broker: Broker, threads: list[dict[str, Any]]
) -> None:
    publisher = WakeupPublisher()

    assert [publisher._publish() for _ in range(2)] == [True, True]

    options = {
        "visibility_timeout": 60, "socket_timeout": 0.2, "socket_connect_timeout": 0.2,
        "max_retries": 0,
    }  # fmt: skip
    assert broker.connected == [{"connect_timeout": 0.2, "transport_options": options}]
    assert broker.asked == [("webhooks", {"passive": True})] * 2
    assert broker.sent == [{"name": "webhooks.tasks.send_webhooks", "over": 1} | SENT] * 2


@pytest.mark.parametrize(("queued", "sent"), [(0, 1), (49, 1), (50, 0), (ChannelError(), 1)])
def test_the_queue_does_not_grow_where_no_one_listens(
    broker: Broker, threads: list[dict[str, Any]], queued: int | Exception, sent: int
) -> None:
    broker.queued = queued

    assert WakeupPublisher()._publish() is True

    assert len(broker.sent) == sent


def test_after_a_failure_it_connects_anew(broker: Broker, threads: list[dict[str, Any]]) -> None:
    publisher = WakeupPublisher()
    broker.queued = ConnectionError()
    assert publisher._publish() is False
    broker.queued = 0

    assert publisher._publish() is True

    assert [each["over"] for each in broker.sent] == [2]


def test_it_rests_after_each_and_longer_after_a_failure(
    broker: Broker, threads: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    publisher = WakeupPublisher()
    slept = list[float]()

    def sleep(seconds: float) -> None:
        assert not publisher._wanted.is_set()
        slept.append(seconds)
        if len(slept) == 3:
            raise SystemExit
        broker.queued = ConnectionError() if len(slept) == 1 else 0
        publisher.wake_up()

    monkeypatch.setattr("webhooks.delivery.wakeup.time.sleep", sleep)
    publisher.wake_up()
    with pytest.raises(SystemExit):
        publisher._work()

    assert slept == [0.02, 10, 0.02]


def test_each_process_has_one_thread_of_its_own(
    broker: Broker, threads: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wakeup, "_publisher", None)
    for _ in range(2):
        wakeup.wake_up()
    first = wakeup._publisher
    assert first is not None
    assert (first.process, first._wanted.is_set()) == (os.getpid(), True)
    assert threads == [{"target": first._work, "name": "webhooks-wakeup", "daemon": True}]

    first.process = 0
    wakeup.wake_up()

    assert wakeup._publisher is not first
    assert len(threads) == 2


def test_without_a_broker_no_one_is_told(
    broker: Broker, threads: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wakeup, "_publisher", None)
    broker.conf.broker_url = "memory://"

    wakeup.wake_up()

    assert (wakeup._publisher, threads) == (None, [])


@pytest.mark.parametrize("url", ["memory://", "redis://broker"])
def test_a_process_asks_once_whether_there_is_a_broker(
    broker: Broker, threads: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setattr(wakeup, "_publisher", None)
    asked = list[str]()

    class Conf(SimpleNamespace):
        @property
        def broker_url(self) -> str:
            asked.append(url)
            return url

    broker.conf = Conf()
    for _ in range(3):
        wakeup.wake_up()

    assert asked == [url]


def test_it_is_sent_after_commit_and_only_where_a_process_listens(
    merchant: Merchant,
    endpoint: MakeEndpoint,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks,
) -> None:
    sent: list[bool] = []
    monkeypatch.setattr("webhooks.outbox.wake_up", lambda: sent.append(True))

    with django_capture_on_commit_callbacks(execute=True):
        emit_event(merchant)
    assert sent == []
    endpoint()
    with django_capture_on_commit_callbacks(execute=True):
        emit_event(merchant)
        assert sent == []
    assert sent == [True]
    caller = Caller(merchant, livemode=False, actor="tests")
    with django_capture_on_commit_callbacks(execute=True):
        send_sample_event(
            caller=caller, event_type=EventType.PAYMENT_CREATED, data={}, now=utc_now()
        )
    assert sent == [True, True]


@pytest.mark.django_db(transaction=True)
def test_no_request_fails_with_it(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    merchant = MerchantFactory.create()
    asked: list[bool] = []

    def fail() -> None:
        asked.append(True)
        raise OSError

    for room in ("outbox", "redelivery"):
        monkeypatch.setattr(f"webhooks.{room}.wake_up", fail)
    caller, body = api(merchant), {"url": "https://shop.example.com/", "events": ["*"]}
    path = f"/v1/webhooks/{caller.post('/v1/webhooks', body).json()['id']}/deliveries"

    assert caller.post("/v1/payments", {"amount": 100}).status_code == 201
    delivery = Delivery.objects.get()
    assert caller.post(f"{path}/{delivery.pk}/retry").status_code == 200

    assert asked == [True, True]
