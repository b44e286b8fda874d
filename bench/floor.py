"""The least that a creation and an answer can cost here, to compare the service with.

`bench.floor:application` writes the rows of a creation with psycopg and orjson, one statement at a
time in one transaction, and answers with the payment; `/empty` is an empty view of the REST
framework. It checks nothing, and is no example of anything.
"""

import hashlib
import os
import secrets
import threading
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import cache
from typing import Any

import orjson
import psycopg
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from bench import empty
from bench.stage import Stage

Environ = dict[str, Any]
StartResponse = Callable[[str, list[tuple[str, str]]], object]

KEY = """
    SELECT key.id, key.revoked_at, merchant.id AS merchant_id, merchant.status
    FROM merchants_apikey AS key JOIN merchants_merchant AS merchant ON merchant.id = merchant_id
    WHERE hash = %s
"""
ENDPOINTS = """
    SELECT id, events FROM webhooks_webhook
    WHERE merchant_id = %s AND livemode = false AND is_active AND deleted_at IS NULL
"""
IDEMPOTENCY_KEY = """
    INSERT INTO core_idempotencykey
        (scope, key, fingerprint, status, body, location, created_at)
    VALUES ('floor', %s, %s, 201, %s, %s, %s)
"""
_JSON = [("Content-Type", "application/json")]
_of_thread = threading.local()


class Table:
    """One table, whose rows are to be like one that the service has written."""

    def __init__(self, name: str, condition: str, *values: str) -> None:
        with connection().cursor(row_factory=dict_row) as cursor:
            found = cursor.execute(f"SELECT * FROM {name} WHERE {condition}", values).fetchone()  # type: ignore[arg-type]  # noqa: S608  # constants
        assert found
        self.row = {
            column: Jsonb(value) if isinstance(value, dict | list) else value
            for column, value in found.items()
        }
        places = ", ".join(f"%({column})s" for column in self.row)
        self.insert = f"INSERT INTO {name} ({', '.join(self.row)}) VALUES ({places})"  # noqa: S608


def application(environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
    if environ["PATH_INFO"] == "/empty":
        return empty.application(environ, start_response)
    answer = create(environ)
    start_response("201 Created", [*_JSON, ("Content-Length", str(len(answer)))])
    return [answer]


def create(environ: Environ) -> bytes:
    """Write what `POST /v1/payments` writes for a merchant with one endpoint."""
    payments, events, deliveries = tables()
    body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
    asked, at = orjson.loads(body), datetime.now(UTC)
    secret = environ["HTTP_AUTHORIZATION"].removeprefix("Bearer ")
    with connection().cursor() as cursor:
        found = cursor.execute(KEY, [hashlib.sha256(secret.encode()).hexdigest()]).fetchone()
        assert found
        cursor.execute("BEGIN")
        endpoints = cursor.execute(ENDPOINTS, [found[2]]).fetchall()
        payment = payments.row | {
            "id": new_id("pay"),
            "merchant_id": found[2],
            "amount": asked["amount"],
            "description": asked["description"],
            "success_url": asked["success_url"],
            "metadata": Jsonb(asked["metadata"]),
            "created_at": at,
            "updated_at": at,
        }
        answer = orjson.dumps(payment | {"metadata": asked["metadata"]}, option=orjson.OPT_UTC_Z)
        fingerprint = hashlib.sha256(body).hexdigest()
        key = environ["HTTP_IDEMPOTENCY_KEY"]
        cursor.execute(IDEMPOTENCY_KEY, [key, fingerprint, answer, payment["id"], at])
        cursor.execute(payments.insert, payment)
        event = events.row | {"id": new_id("evt"), "resource_id": payment["id"], "created_at": at}
        cursor.execute(events.insert, event)
        for endpoint_id, _ in endpoints:
            links = {"event_id": event["id"], "webhook_id": endpoint_id, "next_attempt_at": at}
            cursor.execute(
                deliveries.insert,
                deliveries.row | links | {"id": new_id("dlv"), "created_at": at},
            )
        cursor.execute("COMMIT")
    return answer


@cache
def tables() -> tuple[Table, Table, Table]:
    """Return the tables that a creation writes to, but for the Idempotency-Key's."""
    payment_id = Stage(**orjson.loads(os.environ["BENCH_STAGE"])).payment
    event = Table("webhooks_event", "resource_id = %s", payment_id)
    return (
        Table("payments_payment", "id = %s", payment_id),
        event,
        Table("webhooks_delivery", "event_id = %s", event.row["id"]),
    )


def connection() -> psycopg.Connection:
    """Return the connection of this thread."""
    if not hasattr(_of_thread, "connection"):
        _of_thread.connection = psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)
    opened: psycopg.Connection = _of_thread.connection
    return opened


def new_id(prefix: str) -> str:
    return f"{prefix}_{secrets.token_hex(15)}"
