"""Something breaks in the middle: no event is lost, and a repeated one is the same."""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import redis as redis_client

from tests.clusters import create_migrated
from tests.machine import need
from tests.nights import at_night
from tests.postgres import Postgres, PostgresMissing, programs
from tests.redis import Redis
from tests.webhooks.receiver import Received, Receiver
from tests.webhooks.stack import Reply, Stack

pytestmark = [pytest.mark.faults, pytest.mark.slow, pytest.mark.sqlite]

TIMEOUT_SECONDS = 2
WAIT_SECONDS = 120  # a sender starts meanwhile, where others have the machine
LEASE_SECONDS = 3 * TIMEOUT_SECONDS
TIMEOUT = {"WEBHOOK_TIMEOUT_SECONDS": str(TIMEOUT_SECONDS)}


@pytest.fixture(scope="module")
def directory() -> Iterator[Path]:
    with TemporaryDirectory(prefix="payments-faults-") as name:
        Path(name).chmod(0o711)
        yield Path(name)


@pytest.fixture(scope="module")
def postgres(directory: Path) -> Iterator[Postgres]:
    """A PostgreSQL that keeps its promises over a crash."""
    try:
        programs()
    except PostgresMissing:
        need("initdb", "PostgreSQL")
    server = Postgres(directory / "postgresql", durable=True)
    create_migrated(server)
    server.start()
    yield server
    server.remove()


@pytest.fixture(scope="module")
def broker(directory: Path) -> Iterator[Redis]:
    need("redis-server", "Redis")
    server = Redis(directory)
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def production(directory: Path, postgres: Postgres, broker: Redis) -> Iterator[Stack]:
    """Web server on PostgreSQL and Redis; each test starts its dispatchers."""
    urls = {"DATABASE_URL": postgres.url, "CELERY_BROKER_URL": broker.broker_url}
    with Stack(directory, migrated=True, **urls, **TIMEOUT) as stack:
        stack.start_web()
        yield stack


@pytest.fixture(scope="module")
def embedded(directory: Path) -> Iterator[Stack]:
    """Web server on SQLite, without a broker."""
    with Stack(directory, migrated=False, **TIMEOUT) as stack:
        stack.start_web()
        yield stack


def wait_until_told(
    payments: list[str], receiver: Receiver, path: str, seconds: float
) -> list[Received]:
    """Wait until the endpoint has heard of each payment; return all requests to it."""
    deadline = time.monotonic() + seconds
    while True:
        requests = receiver.received(path)
        told = b"".join(request.body for request in requests)
        missing = [payment_id for payment_id in payments if payment_id.encode() not in told]
        if not missing:
            return requests
        assert time.monotonic() < deadline, f"{len(missing)} of {len(payments)} not told"
        time.sleep(0.1)


def repetitions(requests: list[Received]) -> int:
    """Return how many requests repeat another; each must be the same, byte for byte."""
    bodies: dict[str, bytes] = {}
    for request in requests:
        assert bodies.setdefault(request.headers["webhook-id"], request.body) == request.body
    return len(requests) - len(bodies)


def wait_until_delivered(stack: Stack, path: str, seconds: float = WAIT_SECONDS) -> dict[str, Any]:
    """Return the one delivery of the log once it is delivered."""
    deadline = time.monotonic() + seconds
    while True:
        [log] = stack.get(path).body["deliveries"]
        if log["status"] == "delivered":
            return dict(log)
        assert time.monotonic() < deadline, log
        time.sleep(0.1)


def claimed_at(request: Received) -> int:
    """Return the milliseconds, by the database's clock, at which the delivery was claimed."""
    return int(request.headers["x-service-timestamp"])


def load(stack: Stack, *, count: int, per_second: int) -> list[Reply]:
    replies = []
    for _ in range(count):
        began = time.monotonic()
        replies.append(stack.pay())
        time.sleep(max(0.0, began + 1 / per_second - time.monotonic()))
    return replies


def ids(replies: list[Reply]) -> list[str]:
    return [reply.body["id"] for reply in replies if reply.status == 201]


def start(stack: Stack, *, celery: bool) -> "subprocess.Popen[bytes]":
    return stack.start_celery() if celery else stack.start_worker()


BY_DAY_ONE_IS_KILLED = "by day one sender is killed, and followed by another, without a broker"


@pytest.mark.parametrize("kind", ["embedded", *at_night("production", why=BY_DAY_ONE_IS_KILLED)])
def test_a_sender_killed_in_mid_delivery_is_followed_by_another(
    request: pytest.FixtureRequest, receiver: Receiver, kind: str
) -> None:
    stack: Stack = request.getfixturevalue(kind)
    celery = kind == "production"
    path = f"/say/200/killed-{kind}"
    stack.register(receiver.url(f"{path}?sleep=30,0"))  # it is killed before that
    first_sender = start(stack, celery=celery)
    stack.pay()
    [first] = receiver.wait_for(path, 1, seconds=WAIT_SECONDS)

    stack.kill(first_sender)
    second_sender = start(stack, celery=celery)

    second = receiver.wait_for(path, 2, seconds=WAIT_SECONDS)[1]
    [webhook] = stack.get("/v1/webhooks").body["webhooks"]
    log = wait_until_delivered(stack, f"/v1/webhooks/{webhook['id']}/deliveries")
    stack.kill(second_sender)
    assert second.body == first.body
    assert second.headers["webhook-id"] == first.headers["webhook-id"]
    assert claimed_at(second) - claimed_at(first) >= LEASE_SECONDS * 1_000
    assert len(log["attempts"]) == 1


@pytest.mark.night(BY_DAY_ONE_IS_KILLED)
def test_killed_again_and_again_nothing_is_lost(embedded: Stack, receiver: Receiver) -> None:
    path = "/say/200/hunted"
    embedded.register(receiver.url(f"{path}?sleep=0.05"))
    payments: list[str] = []
    for _ in range(3):
        payments += ids([embedded.pay() for _ in range(20)])
        heard = len(receiver.received(path))
        sender = embedded.start_worker()
        receiver.wait_for(path, heard + 5, seconds=WAIT_SECONDS)
        embedded.kill(sender)
    last = embedded.start_worker()

    requests = wait_until_told(payments, receiver, path, 40)

    embedded.kill(last)
    # At most what was under way to the endpoint when its dispatcher was killed.
    assert repetitions(requests) <= 3 * 4


@pytest.mark.night("by day a broker is away in tests/webhooks/test_wakeup.py, which sends nothing")
def test_without_redis_no_request_waits_and_every_event_goes_out(
    production: Stack, broker: Redis, receiver: Receiver
) -> None:
    path = "/say/200/redis"
    production.register(receiver.url(path))
    sender = production.start_celery()
    well = load(production, count=60, per_second=30)
    wait_until_told(ids(well), receiver, path, 40)
    ill: dict[str, list[Reply]] = {}

    with redis_client.Redis.from_url(broker.url) as client:
        client.flushall()
    ill["flushed"] = load(production, count=60, per_second=30)
    broker.freeze()
    ill["frozen"] = load(production, count=60, per_second=30)
    wait_until_told(ids(ill["frozen"]), receiver, path, 20)
    broker.thaw()
    broker.stop()
    ill["stopped"] = load(production, count=60, per_second=30)
    wait_until_told(ids(ill["stopped"]), receiver, path, 20)
    broker.start()
    requests = wait_until_told(ids(ill["flushed"]), receiver, path, 10)

    production.kill(sender)
    assert {reply.status for reply in well} == {201}
    for replies in ill.values():
        assert {reply.status for reply in replies} == {201}
        # A caller that waited for a lost broker would wait half a second each time, or for ever.
        assert max(reply.seconds for reply in replies) < 3
        assert _median(replies) < 2 * _median(well) + 0.02
    assert repetitions(requests) == 0


def _median(replies: list[Reply]) -> float:
    return sorted(reply.seconds for reply in replies)[len(replies) // 2]


@pytest.mark.night("a restart takes long; no test of the day has one")
def test_a_database_that_restarts_loses_no_event(
    production: Stack, postgres: Postgres, receiver: Receiver
) -> None:
    path = "/say/200/restarted"
    production.register(receiver.url(f"{path}?sleep=0.05"))
    sender = production.start_celery()
    replies = load(production, count=10, per_second=20)
    for _ in range(3):
        postgres.stop()
        replies += [production.pay() for _ in range(2)]
        postgres.start()
        replies += load(production, count=20, per_second=20)

    requests = wait_until_told(ids(replies), receiver, path, 40)

    production.kill(sender)
    assert {reply.status for reply in replies} == {201, 503}
    assert len(ids(replies)) >= 10 + 3 * 10
    repetitions(requests)
