"""A minimal implementation of creation, confirmation and response, as a floor to compare with.

`bench.floor:application` writes the same rows as the service, with psycopg and orjson, one
statement at a time in one transaction; `/empty` is an empty REST framework view. It validates
nothing, and is not an example to follow.
"""

import hashlib
import os
import secrets
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from typing import Any
from wsgiref.types import StartResponse, WSGIEnvironment

import orjson
import psycopg
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from bench import empty
from bench.stage import Stage

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
WALLET = """
    SELECT customer.id, account.id FROM customers_customer AS customer
    JOIN ledger_account AS account ON owner = customer.id AND purpose = 'wallet'
    WHERE phone = %s AND NOT customer.livemode
"""
PAID = """
    UPDATE payments_payment SET status = 'completed', customer_id = %s, transaction_id = %s,
        fee = 0, updated_at = %s, completed_at = %s
    WHERE id = %s
"""
UNSEALED = """
    INSERT INTO ledger_unsealedtransfer (transfer_id, amount, debit_account_id, credit_account_id)
    VALUES (%s, %s, %s, %s)
"""
_JSON = [("Content-Type", "application/json")]
_of_thread = threading.local()


class FloorTable:
    """One table, and a row that the service has written there as a template."""

    def __init__(self, name: str, condition: str, value: object) -> None:
        with connection().cursor(row_factory=dict_row) as cursor:
            found = cursor.execute(f"SELECT * FROM {name} WHERE {condition}", [value]).fetchone()  # noqa: S608  # constants
        assert found, name
        self.row = {
            column: Jsonb(value) if isinstance(value, dict | list) else value
            for column, value in found.items()
            if column != "id" or isinstance(value, str)  # the database assigns numeric ids
        }
        places = ", ".join(f"%({column})s" for column in self.row)
        self.insert = f"INSERT INTO {name} ({', '.join(self.row)}) VALUES ({places})"  # noqa: S608


@dataclass(frozen=True)
class Tables:
    """The tables that the two operations write, except that of idempotency keys."""

    payment: FloorTable
    created: FloorTable
    completed: FloorTable
    delivery: FloorTable
    transitions: tuple[FloorTable, FloorTable]
    transfer: FloorTable


@cache
def tables() -> Tables:
    stage = Stage(**orjson.loads(os.environ["BENCH_STAGE"]))
    moves = "payments_paymenttransition"
    created = FloorTable("webhooks_event", "resource_id = %s", stage.payment)
    return Tables(
        payment=FloorTable("payments_payment", "id = %s", stage.payment),
        created=created,
        completed=FloorTable(
            "webhooks_event", "type = 'payment.completed' AND resource_id = %s", stage.completed
        ),
        delivery=FloorTable("webhooks_delivery", "event_id = %s", created.row["id"]),
        transitions=(
            FloorTable(moves, "to_status = 'processing' AND payment_id = %s", stage.completed),
            FloorTable(moves, "to_status = 'completed' AND payment_id = %s", stage.completed),
        ),
        transfer=FloorTable("ledger_transfer", "reference = %s", stage.completed),
    )


def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    if environ["PATH_INFO"] == "/empty":
        return empty.application(environ, start_response)
    body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
    payment_id = environ["PATH_INFO"].removeprefix("/confirm/")
    write = create if environ["PATH_INFO"] == "/create" else partial(confirm, payment_id)
    with connection().cursor() as cursor:
        secret = environ["HTTP_AUTHORIZATION"].removeprefix("Bearer ")
        key = cursor.execute(KEY, [hashlib.sha256(secret.encode()).hexdigest()]).fetchone()
        assert key
        at = datetime.now(UTC)
        cursor.execute("BEGIN")
        payment_id, answer = write(cursor, key[2], orjson.loads(body), at)
        print_of_body = hashlib.sha256(body).hexdigest()
        name = environ["HTTP_IDEMPOTENCY_KEY"]
        cursor.execute(IDEMPOTENCY_KEY, [name, print_of_body, answer, payment_id, at])
        cursor.execute("COMMIT")
    start_response("200 OK", [*_JSON, ("Content-Length", str(len(answer)))])
    return [answer]


def create(
    cursor: psycopg.Cursor, merchant_id: str, asked: dict[str, Any], at: datetime
) -> tuple[str, bytes]:
    """Write the same rows as `POST /v1/payments`; return the id and the response body."""
    payment = tables().payment.row | {
        "id": new_id("pay"),
        "merchant_id": merchant_id,
        "amount": asked["amount"],
        "description": asked["description"],
        "success_url": asked["success_url"],
        "metadata": Jsonb(asked["metadata"]),
        "created_at": at,
        "updated_at": at,
    }
    cursor.execute(tables().payment.insert, payment)
    tell(cursor, tables().created, merchant_id, str(payment["id"]), at)
    answer = orjson.dumps(payment | {"metadata": asked["metadata"]}, option=orjson.OPT_UTC_Z)
    return str(payment["id"]), answer


def confirm(
    payment_id: str, cursor: psycopg.Cursor, merchant_id: str, asked: dict[str, Any], at: datetime
) -> tuple[str, bytes]:
    """Write the same rows as a confirmation, ledger included; return the id and the body."""
    transfer = tables().transfer.row | {
        "transaction_id": new_id("txn"),
        "reference": payment_id,
        "created_at": at,
    }
    cursor.execute("SELECT * FROM payments_payment WHERE id = %s FOR UPDATE", [payment_id])
    paid = cursor.execute(WALLET, [asked["customer_phone"]]).fetchone()
    assert paid
    customer_id, transfer["debit_account_id"] = paid
    cursor.execute(
        "UPDATE ledger_account SET balance = balance - %s WHERE id = %s",
        [transfer["amount"], transfer["debit_account_id"]],
    )
    cursor.execute(PAID, [customer_id, transfer["transaction_id"], at, at, payment_id])
    for move in tables().transitions:
        cursor.execute(move.insert, move.row | {"payment_id": payment_id, "at": at})
    moved = cursor.execute(f"{tables().transfer.insert} RETURNING id", transfer).fetchone()
    assert moved
    accounts = [transfer["debit_account_id"], transfer["credit_account_id"]]
    cursor.execute(UNSEALED, [moved[0], transfer["amount"], *accounts])
    tell(cursor, tables().completed, merchant_id, payment_id, at)
    answer = {"id": payment_id, "status": "completed", "customer_id": customer_id}
    done = answer | {"transaction_id": transfer["transaction_id"], "completed_at": at}
    return payment_id, orjson.dumps(done, option=orjson.OPT_UTC_Z)


def tell(
    cursor: psycopg.Cursor, events: FloorTable, merchant_id: str, payment_id: str, at: datetime
) -> None:
    """Write the event, and a delivery for each endpoint."""
    event = events.row | {"id": new_id("evt"), "resource_id": payment_id, "created_at": at}
    cursor.execute(events.insert, event)
    for endpoint_id, _ in cursor.execute(ENDPOINTS, [merchant_id]).fetchall():
        links = {"event_id": event["id"], "webhook_id": endpoint_id, "next_attempt_at": at}
        delivery = tables().delivery
        row = delivery.row | links | {"id": new_id("dlv"), "created_at": at}
        cursor.execute(delivery.insert, row)


def connection() -> psycopg.Connection:
    """Return the connection of this thread."""
    if not hasattr(_of_thread, "connection"):
        _of_thread.connection = psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)
    opened: psycopg.Connection = _of_thread.connection
    return opened


def new_id(prefix: str) -> str:
    return f"{prefix}_{secrets.token_hex(15)}"
