"""The web server dies at the worst moments; the merchant asks again, under the same key."""

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg
import pytest

from tests.clusters import create_migrated
from tests.machine import need
from tests.postgres import Postgres, PostgresMissing, programs
from tests.webhooks.receiver import Receiver
from tests.webhooks.stack import Stack

pytestmark = [pytest.mark.faults, pytest.mark.slow, pytest.mark.sqlite]

BODY = {"amount": 1250}
KEY = "order-1"
WAIT_SECONDS = 120  # a sender starts meanwhile, where others have the machine


@pytest.fixture
def directory() -> Iterator[Path]:
    with TemporaryDirectory(prefix="payments-killed-") as name:
        Path(name).chmod(0o711)
        yield Path(name)


@pytest.fixture
def database(directory: Path) -> Iterator[psycopg.Connection[Any]]:
    """A connection, beside those of the service, to the database that it works on."""
    try:
        programs()
    except PostgresMissing:
        need("initdb", "PostgreSQL")
    server = Postgres(directory / "postgresql", durable=True)
    create_migrated(server)
    server.start()
    with psycopg.connect(f"host={server.directory} user=postgres", autocommit=True) as connection:
        yield connection
    server.remove()


@pytest.fixture
def stack(directory: Path, database: psycopg.Connection[Any]) -> Iterator[Stack]:
    url = f"postgres://postgres@/postgres?host={directory / 'postgresql'}"
    with Stack(directory, migrated=True, DATABASE_URL=url) as service:
        yield service


def send(stack: Stack) -> socket.socket:
    """Send the request that creates a payment, and leave its answer unread."""
    body = json.dumps(BODY).encode()
    head = (
        "POST /v1/payments HTTP/1.1",
        f"Host: localhost:{stack.port}",
        f"Authorization: Bearer {stack.key}",
        f"Idempotency-Key: {KEY}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
    )
    client = socket.create_connection(("127.0.0.1", stack.port))
    client.sendall("\r\n".join(head).encode() + b"\r\n\r\n" + body)
    return client


def wait_for(database: psycopg.Connection[Any], question: str) -> None:
    """Wait until a query counts something."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not count(database, question):
        assert time.monotonic() < deadline, question
        time.sleep(0.005)


def count(database: psycopg.Connection[Any], question: str) -> int:
    row = database.execute(f"SELECT count(*) FROM {question}".encode()).fetchone()
    return int(row[0]) if row else 0


@pytest.mark.night("by day test_idempotency.py has test_a_crash_leaves_nothing, in one process")
def test_killed_before_the_commit_nothing_was_done(
    stack: Stack, database: psycopg.Connection[Any], receiver: Receiver
) -> None:
    web = stack.start_web()
    stack.register(receiver.url("/say/200/before-commit"))
    with database.transaction():
        # The event is written last: held back here, the payment is there and not committed.
        database.execute("LOCK TABLE webhooks_event IN EXCLUSIVE MODE")
        with send(stack):
            wait_for(database, "pg_locks WHERE NOT granted")
            stack.kill(web)
    wait_for(database, "(SELECT 1 WHERE NOT EXISTS (SELECT FROM pg_locks WHERE NOT granted)) x")
    assert count(database, "payments_payment") == count(database, "core_idempotencykey") == 0

    stack.start_web()
    first, second = (stack.post("/v1/payments", BODY, key=KEY) for _ in range(2))

    assert (first.status, first.replayed) == (201, False)
    assert (second.status, second.replayed, second.body) == (201, True, first.body)
    assert count(database, "payments_payment") == count(database, "webhooks_event") == 1


def test_killed_before_the_answer_it_is_repeated_and_told(
    stack: Stack, database: psycopg.Connection[Any], receiver: Receiver
) -> None:
    path = "/say/200/before-answer"
    web = stack.start_web()
    stack.register(receiver.url(path))
    with send(stack):
        wait_for(database, "payments_payment")
        stack.kill(web)

    stack.start_web()
    again = stack.post("/v1/payments", BODY, key=KEY)
    sender = stack.start_worker()
    [told] = receiver.wait_for(path, 1, seconds=WAIT_SECONDS)
    stack.kill(sender)

    assert (again.status, again.replayed) == (201, True)
    assert json.loads(told.body)["data"]["payment_id"] == again.body["id"]
    assert count(database, "payments_payment") == count(database, "webhooks_event") == 1
