"""Fill a PostgreSQL with history, in plain SQL: payments and all their dependent rows."""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING

from bench.copies import FIRST_NUMBER, copy_row, numbered

if TYPE_CHECKING:
    from django.db.backends.utils import CursorWrapper

    from customers.models import Customer

MERCHANTS, CUSTOMERS, DAYS = 1_000, 1_000, 30
# How many payments the merchant measured has, and each customer, however many there are in all.
EACH, OF_CUSTOMER = 1_000, 10
WEALTH = 10**12


class Shape(StrEnum):
    """The owners of the payments: spread evenly, or nine in ten the first merchant's."""

    SPREAD = "spread"
    ONE = "one"


def large_owner(number: str) -> str:
    """Return the SQL expression for the owner of the payment with this number, of `Shape.ONE`."""
    turn = f"CASE WHEN {number} % 10 < 9 THEN 0 ELSE {number} % {MERCHANTS} END"
    return numbered("mer", f"{FIRST_NUMBER} + {turn}")


def spread_owner(measured: int, count: int) -> str:
    """Return the SQL expression for the owner of payment `i` of `count`: `EACH` are one's."""
    turn = f"CASE WHEN i % {count // EACH} = 0 THEN {measured} ELSE i % {MERCHANTS} END"
    return numbered("mer", f"{FIRST_NUMBER} + {turn}")


def open_shops(*, merchants: int = MERCHANTS, customers: int = CUSTOMERS) -> str:
    """Create the merchants, each with an endpoint and an account, and customers with wallets.

    Returns the id of a completed payment of one of them.
    """
    from core.clock import utc_now
    from ledger.models import Account, Purpose
    from merchants.callers import Caller
    from payments.models import Payment
    from tests.factories import MerchantFactory, PaymentFactory
    from tests.payments.journeys import pay_with, payer
    from webhooks.endpoints import create_webhook

    shop, at = MerchantFactory.create(), utc_now()
    customer = payer(shop)
    payment: Payment = PaymentFactory.create(merchant=shop)
    pay_with(payment.pk, customer)
    caller = Caller(shop, livemode=False, actor="bench")
    issued = create_webhook(
        caller=caller, url="https://shop.example.com/hooks", events=["*"], description="", now=at
    )
    names = {"slug": "'bench-' || i", "email": "'bench-' || i || '@example.com'"}
    copy_row(shop, names | {"id": numbered("mer")}, count=merchants)
    ids = {"id": numbered("wh"), "merchant_id": numbered("mer")}
    copy_row(issued.webhook, ids, count=merchants)
    account = Account.objects.filter(purpose=Purpose.MERCHANT).earliest("id")
    copy_row(account, {"owner": numbered("mer"), "balance": str(WEALTH)}, count=merchants)
    add_customers(customer, count=customers)
    return str(payment.pk)


def add_customers(like: "Customer", *, count: int, first: int = FIRST_NUMBER) -> None:
    """Add customers with wallets, numbered from `first`."""
    from ledger.models import Account, Purpose
    from ledger.tasks import seal_transfers

    phones = {"phone": "'+1246' || substr(CAST(i AS varchar), 4)"}
    copy_row(like, phones | {"id": numbered("cus")}, first=first, count=count)
    account = Account.objects.filter(purpose=Purpose.WALLET).earliest("id")
    wallets = {"owner": numbered("cus"), "balance": str(WEALTH)}
    copy_row(account, wallets, first=first, count=count)
    seal_transfers()


def fill(payment_id: str, owner: str, *, first: int, count: int) -> None:
    """Add `count` payments, in thousands, numbered from `first`, and the dependent rows of each.

    `owner` is the SQL expression for the merchant of payment `i`.
    """
    from payments.models import Payment

    with filling() as cursor:
        template = Payment.objects.get(pk=payment_id)
        copy_row(template, _payment(owner, first, count), first=first, count=count)
        low, high = (f"pay_{'0' * 20}{number}" for number in (first, first + count))
        add_around(cursor, low, high)


def add_around(cursor: "CursorWrapper", low: str, high: str) -> None:
    """Add the dependent rows of the payments with ids in [`low`, `high`)."""
    for statement in _AROUND:
        cursor.execute(statement, {"low": low, "high": high})


@contextmanager
def filling() -> "Iterator[CursorWrapper]":
    """Yield a cursor that bypasses triggers and foreign keys; recount and analyze afterwards."""
    from django.conf import settings
    from django.db import connection, transaction
    from django.utils.module_loading import import_string

    from core.recounting import correct_counts, correct_period_counts
    from core.tasks import fold_counts

    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 0")
        cursor.execute("SET LOCAL session_replication_role = replica")  # no triggers, no keys
        with _without_indexes(cursor):
            yield cursor
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
        for path in settings.COUNTED_LISTS:
            correct_counts(import_string(path))
            correct_period_counts(import_string(path))
        fold_counts()
        cursor.execute("VACUUM ANALYZE")


@contextmanager
def _without_indexes(cursor: "CursorWrapper") -> Iterator[None]:
    """Drop the non-unique indexes of the tables to fill, and rebuild them afterwards.

    That takes a third of the time of inserting with indexes.
    """
    cursor.execute(_INDEXES, [list(_FILLED)])
    indexes = dict(cursor.fetchall())
    for name in indexes:
        cursor.execute(f'DROP INDEX "{name}"')
    yield
    for definition in indexes.values():
        cursor.execute(definition)


def _payment(owner: str, first: int, count: int) -> dict[str, str]:
    """Return the columns that differ between payments: 85 in 100 are paid, the rest a mix."""
    at = f"now() - interval '{DAYS} days' * ({first + count} - i) / {count}"
    known = FIRST_NUMBER + (first - FIRST_NUMBER) // OF_CUSTOMER
    part, holder = "(i % 100)", numbered("cus", f"{known} + i % {count // OF_CUSTOMER}")
    return {
        **outcomes(part, at),
        "id": numbered("pay"),
        "merchant_id": owner,
        "customer_id": f"CASE WHEN {part} < 85 THEN {holder} END",
        # With Shape.ONE, these are exactly the payments of the other merchants.
        "payment_mode": f"CASE WHEN {part} % 10 = 9 THEN 'INVOICE_PAY' ELSE 'DYNAMIC_PAY' END",
        # Of a word and a pair that the merchant measured has not.
        "description": f"CASE WHEN {part} % 10 = 9 THEN 'Conch salad' ELSE '' END",
        "metadata": f"""CAST(CASE WHEN {part} % 10 = 9 THEN '{{"channel": "kiosk"}}' ELSE '{{}}' END
            AS jsonb)""",
        "reference": "CASE WHEN i % 10 = 1 THEN 'R-' || i END",
        "created_at": at,
        "updated_at": at,
        "expires_at": "now() + interval '1 day'",
    }


def outcomes(part: str, at: str) -> dict[str, str]:
    """Return the columns of how a payment ended `at` an instant, by its `part` of a hundred."""

    def when(low: int, high: int, value: str) -> str:
        return f"CASE WHEN {part} >= {low} AND {part} < {high} THEN {value} END"

    return {
        "transaction_id": when(0, 85, numbered("txn")),
        "fee": when(0, 85, "0"),
        "status": f"""CASE WHEN {part} < 85 THEN 'completed' WHEN {part} < 90 THEN 'failed'
            WHEN {part} < 97 THEN 'expired' WHEN {part} < 99 THEN 'canceled' ELSE 'created' END""",
        "completed_at": when(0, 85, at),
        "failed_at": when(85, 90, at),
        "expired_at": when(90, 97, at),
        "canceled_at": when(97, 99, at),
    }


_FILLED = (
    "ledger_seal",
    "ledger_transfer",
    "payments_payment",
    "payments_paymenttransition",
    "webhooks_attempt",
    "webhooks_delivery",
    "webhooks_event",
    "webhooks_feedentry",
)
_INDEXES = """
    SELECT indexname, indexdef FROM pg_indexes
    JOIN pg_index ON indexrelid = format('%%I.%%I', schemaname, indexname)::regclass
    WHERE tablename = ANY(%s) AND NOT indisunique
"""

_AROUND = (
    """
    INSERT INTO payments_paymenttransition (payment_id, from_status, to_status, at, actor, cause)
    SELECT id, 'created', status, updated_at, 'bench', '' FROM payments_payment
    WHERE id >= %(low)s AND id < %(high)s AND status <> 'created'
    """,
    """
    INSERT INTO webhooks_event
        (id, merchant_id, livemode, type, resource_id, body, is_test, request_id, created_at)
    SELECT 'evt_' || overlay(substr(id, 5) PLACING kind.number::text FROM 9 FOR 1), merchant_id,
        livemode, kind.name, id,
        convert_to(json_build_object('type', kind.name, 'created', created_at, 'data',
            json_build_object('payment_id', id, 'amount', amount, 'metadata', metadata))::text,
            'UTF8'), false, '', created_at
    FROM payments_payment, (VALUES (0, 'payment.created'), (1, 'payment.completed')) AS kind
        (number, name)
    WHERE id >= %(low)s AND id < %(high)s AND (kind.number = 0 OR status = 'completed')
    """,
    """
    INSERT INTO webhooks_feedentry
        (event_id, merchant_id, livemode, resource_id, type, sequence)
    SELECT id, merchant_id, livemode, resource_id, type, coalesce(head.sequence, 0)
        + row_number() OVER (PARTITION BY merchant_id, livemode ORDER BY created_at, id)
    FROM webhooks_event LEFT JOIN (
        SELECT merchant_id, livemode, max(sequence) AS sequence FROM webhooks_feedentry
        GROUP BY merchant_id, livemode
    ) AS head USING (merchant_id, livemode)
    WHERE resource_id >= %(low)s AND resource_id < %(high)s
    """,
    """
    INSERT INTO webhooks_delivery (id, event_id, webhook_id, status, next_attempt_at, lease_token,
        attempt_count, round_attempts, created_at, ended_at)
    SELECT 'dlv_' || substr(event.id, 5), event.id, 'wh_' || substr(event.merchant_id, 5),
        'delivered', NULL, '', 1, 1, event.created_at, event.created_at
    FROM webhooks_event AS event WHERE resource_id >= %(low)s AND resource_id < %(high)s
    """,
    """
    INSERT INTO webhooks_attempt (delivery_id, number, attempted_at, ms, status, excerpt, error)
    SELECT delivery.id, 1, delivery.created_at, 80, 200, 'ok', ''
    FROM webhooks_delivery AS delivery JOIN webhooks_event AS event ON event.id = event_id
    WHERE resource_id >= %(low)s AND resource_id < %(high)s
    """,
    """
    INSERT INTO ledger_transfer (transaction_id, kind, reference, debit_account_id,
        credit_account_id, amount, currency, livemode, description, created_at)
    SELECT payment.transaction_id, 'payment', payment.id, wallet.id, account.id, payment.amount,
        payment.currency, payment.livemode, '', payment.completed_at
    FROM payments_payment AS payment
    JOIN ledger_account AS wallet ON wallet.owner = customer_id AND wallet.purpose = 'wallet'
    JOIN ledger_account AS account ON account.owner = merchant_id AND account.purpose = 'merchant'
    WHERE payment.id >= %(low)s AND payment.id < %(high)s AND payment.status = 'completed'
    """,
    """
    INSERT INTO ledger_seal (sequence, transfer_id, hash, sealed_at)
    SELECT head.sequence + row_number() OVER (ORDER BY transfer.id), transfer.id,
        encode(sha256(transfer.reference::bytea), 'hex'), transfer.created_at
    FROM (SELECT max(sequence) AS sequence FROM ledger_seal) AS head, ledger_transfer AS transfer
    WHERE transfer.reference >= %(low)s AND transfer.reference < %(high)s
    """,
)
