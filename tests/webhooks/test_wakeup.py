"""A wakeup is quick with a broker, and never delays a request without one."""

import json
import threading
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
import redis as redis_client
from celery import current_app

from tests.redis import Redis
from webhooks.delivery import wakeup
from webhooks.delivery.wakeup import MAX_QUEUED, QUEUE, TASK, WakeupPublisher, wake_up
from webhooks.tasks import send_webhooks

pytestmark = pytest.mark.slow


@pytest.fixture
def broker(redis: Redis, monkeypatch: pytest.MonkeyPatch) -> Iterator[Redis]:
    monkeypatch.setattr(wakeup, "_publisher", None)
    monkeypatch.setattr(wakeup, "_has_broker", lambda: True)
    conf: Any = current_app.conf
    before = conf.broker_url
    conf.broker_url = redis.broker_url
    yield redis
    if wakeup._publisher:  # its thread outlives the test: it must not reach the broker of the next
        vars(wakeup._publisher)["_publish"] = lambda: True
    conf.broker_url = before


def waiting(redis: Redis) -> list[Any]:
    with redis_client.Redis.from_url(redis.url) as client:
        return [json.loads(item) for item in client.lrange(QUEUE, 0, -1)]


def wait_for_messages(redis: Redis, seconds: float = 20) -> list[Any]:
    deadline = time.monotonic() + seconds
    while not (found := waiting(redis)) and time.monotonic() < deadline:
        time.sleep(0.01)
    return found


def test_the_task_is_the_one_that_sends() -> None:
    assert send_webhooks.name == TASK


def test_a_wakeup_arrives_at_once(broker: Redis) -> None:
    wake_up()

    [message] = wait_for_messages(broker)
    assert message["headers"]["task"] == TASK
    assert message["headers"]["expires"] is not None


def test_a_burst_is_few_messages(broker: Redis) -> None:
    began, worked = time.monotonic(), time.thread_time()
    for _ in range(5_000):
        wake_up()
    took, worked = time.monotonic() - began, time.thread_time() - worked

    wait_for_messages(broker)
    time.sleep(0.2)

    assert worked < 5
    assert 1 <= len(waiting(broker)) <= 2 + took / wakeup.PAUSE_SECONDS


def test_where_no_process_listens_the_queue_does_not_grow(broker: Redis) -> None:
    with redis_client.Redis.from_url(broker.url) as client:
        client.rpush(QUEUE, *["{}"] * MAX_QUEUED)
        wake_up()
        time.sleep(0.3)

        assert client.llen(QUEUE) == MAX_QUEUED


@pytest.mark.parametrize("how", ["stop", "freeze"])
def test_a_broker_that_is_away_is_not_felt(
    broker: Redis, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setitem(wakeup._SOCKET_OPTIONS, "socket_timeout", 20)
    wake_up()
    wait_for_messages(broker)
    getattr(broker, how)()
    begun, ended, send = threading.Event(), threading.Event(), WakeupPublisher._send

    def noted(publisher: WakeupPublisher) -> None:
        begun.set()
        try:
            send(publisher)
        finally:
            ended.set()

    monkeypatch.setattr(WakeupPublisher, "_send", noted)
    wake_up()
    assert begun.wait(20)
    for _ in range(200):
        wake_up()

    # None has waited for what a broker that is frozen holds up for twenty seconds.
    assert how == "stop" or not ended.is_set()


def test_when_it_is_back_wakeups_arrive_again(
    broker: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wakeup, "CIRCUIT_OPEN_SECONDS", 0.2)
    broker.freeze()
    wake_up()
    time.sleep(1.5)
    broker.thaw()
    before = len(waiting(broker))

    deadline = time.monotonic() + 20
    while len(waiting(broker)) <= before and time.monotonic() < deadline:
        wake_up()
        time.sleep(0.05)

    assert len(waiting(broker)) > before


def test_a_failure_gives_the_broker_a_rest(broker: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[float] = []

    def fail(nudger: WakeupPublisher) -> None:
        if nudger is wakeup._publisher:  # and not the thread of a test before
            tried.append(time.monotonic())
        raise OSError

    monkeypatch.setattr(wakeup, "CIRCUIT_OPEN_SECONDS", 0.3)
    monkeypatch.setattr(WakeupPublisher, "_send", fail)
    deadline = time.monotonic() + 20
    while len(tried) < 3 and time.monotonic() < deadline:
        wake_up()
        time.sleep(0.005)

    assert len(tried) == 3
    assert all(later - earlier >= 0.3 for earlier, later in pairwise(tried))


def test_a_forked_process_has_a_thread_of_its_own(
    broker: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    wake_up()
    parents = wakeup._publisher
    assert parents is not None
    parents.process = -1

    wake_up()

    assert wakeup._publisher is not parents


def test_without_a_broker_there_is_no_process_to_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wakeup, "_publisher", None)

    wake_up()

    assert wakeup._publisher is None
