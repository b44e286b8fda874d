"""What a worker does after Redis has refused what it asked."""

from collections.abc import Iterator
from contextlib import suppress
from queue import Empty
from typing import Any

import pytest
from celery.signals import worker_init
from kombu import Connection
from kombu.common import ignore_errors
from kombu.transport import redis as transport
from redis.exceptions import AuthenticationError

from config.acknowledgments import FreedQoS
from config.celery import app, end_failed_acknowledgments
from tests.redis import Redis

pytestmark = pytest.mark.sqlite


@pytest.fixture
def channel(redis: Redis, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """One that handles a message at a time, as a worker has it."""
    monkeypatch.setattr(transport.Channel, "QoS", transport.QoS)
    end_failed_acknowledgments()
    with Connection(redis.broker_url) as connection:
        channel: Any = connection.default_channel
        channel.basic_qos(0, 1, False)
        yield channel


def taken(channel: Any, body: str) -> str:
    """Put a message into a queue and take it; return the tag that acknowledges it."""
    queue = channel.connection.client.SimpleQueue("default")
    queue.put(body)
    tag: str = queue.get(timeout=10).delivery_tag
    return tag


@pytest.mark.parametrize("how", ["basic_ack", "basic_reject"])
def test_a_refused_acknowledgment_keeps_no_place(channel: Any, redis: Redis, how: str) -> None:
    tag = taken(channel, "a tick")
    assert not channel.qos.can_consume()
    ask(redis, "CONFIG SET", "requirepass", "another")
    channel.pool.disconnect()

    with pytest.raises(AuthenticationError):
        getattr(channel, how)(tag)

    assert channel.qos.can_consume()


def test_an_acknowledged_message_does_not_come_again(channel: Any) -> None:
    channel.basic_ack(taken(channel, "a tick"))

    assert channel.qos.can_consume()
    assert channel.client.hlen(channel.unacked_key) == 0


def test_a_message_at_work_ends_no_worker_whose_redis_is_killed(channel: Any, redis: Redis) -> None:
    taken(channel, "a tick")

    lose_the_connection(channel, redis)

    assert not channel.qos._delivered


@pytest.mark.parametrize("how", ["basic_ack", "basic_reject"])
def test_what_is_acknowledged_after_redis_was_killed_ends_no_worker(
    channel: Any, redis: Redis, how: str
) -> None:
    tag, survived = taken(channel, "a tick"), channel.connection.connection_errors
    lose_the_connection(channel, redis)

    with pytest.raises(survived):
        getattr(channel, how)(tag)


def lose_the_connection(channel: Any, redis: Redis) -> None:
    """Kill Redis while two channels wait for messages, and close them as a Celery worker does."""
    connection = channel.connection.client
    channel.basic_qos(0, 2, False)
    for waits in (channel, connection.channel()):
        with pytest.raises(Empty):
            connection.SimpleQueue("default", channel=waits).get(timeout=0.1)
    redis.stop()
    with suppress(Exception):
        connection.collect(socket_timeout=1)
    ignore_errors(connection, connection.close)


def test_a_worker_that_ends_gives_back_the_message_at_work(channel: Any) -> None:
    taken(channel, "a tick")

    channel.qos.restore_unacked_once()

    assert channel.client.hlen(channel.unacked_key) == 0
    assert channel.client.llen("default") == 1


def test_each_worker_counts_so() -> None:
    assert end_failed_acknowledgments in [ref() for _, ref in worker_init.receivers]
    assert issubclass(FreedQoS, transport.QoS)


@pytest.mark.parametrize("state", [("CONFIG SET", "maxmemory", 1), ("REPLICAOF", "::1", 1)])
def test_a_redis_that_refuses_ends_no_worker(
    channel: Any, redis: Redis, state: tuple[object, ...]
) -> None:
    survived = channel.connection.connection_errors
    if app.conf.broker_channel_error_retry:
        survived += channel.connection.channel_errors
    queue = channel.connection.client.SimpleQueue("default")

    ask(redis, *state)

    with pytest.raises(survived):
        queue.put("a tick")


def ask(redis: Redis, *words: object) -> None:
    import redis as client

    client.Redis.from_url(redis.url).execute_command(*words)
