"""The rows for measuring the back office: a history in which nine in ten payments belong to one
merchant, with ids ordered by time, like those of the service.
"""

from typing import TYPE_CHECKING

from bench.copies import FIRST_NUMBER, copy_row, numbered
from bench.rows import add_around, filling, large_owner, open_shops, outcomes

if TYPE_CHECKING:
    from django.db.models import Model

CUSTOMERS, DAYS = 100_000, 90
LARGE = f"mer_{'0' * 20}{FIRST_NUMBER}"  # the merchant of nine in ten payments
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
# Ids end with a ten-digit number that starts with 1.
_NAMES = (
    """
    UPDATE merchants_merchant SET name = 'Shop number ' || right(id, 9)::int
    WHERE id LIKE 'mer_00000000000%'
    """,
    """
    UPDATE customers_customer SET email = 'pat' || right(id, 9)::int || '@example.com'
    WHERE id LIKE 'cus_00000000000%'
    """,
)


def build(count: int) -> None:
    """Insert the payments and their dependent rows, in plain SQL."""
    from core.clock import utc_now
    from merchants.callers import Caller
    from payments.models import Payment
    from refunds.services import RefundDraft, create_refund

    sale = Payment.objects.get(pk=open_shops(customers=CUSTOMERS))
    caller = Caller(sale.merchant, livemode=False, actor="bench")
    refund = create_refund(
        caller=caller, payment_id=sale.pk, draft=RefundDraft(amount=1), now=utc_now()
    )
    with filling() as cursor:
        for statement in _NAMES:
            cursor.execute(statement)
        copy_row(sale, _payment(count), count=count)
        add_around(cursor, "pay_", sale.pk)
        cursor.execute(_refunds(refund))


def _payment(count: int) -> dict[str, str]:
    """Return the columns that differ: 85 % paid, the rest failed, expired, canceled or open."""
    n = f"(i - {FIRST_NUMBER - 1})"  # newest first: number 1 was a moment ago
    at = f"template.created_at - interval '{DAYS} days' * {n} / {count}"
    milliseconds = f"(extract(epoch FROM {at}) * 1000)::bigint"
    return {
        **outcomes(f"({n} % 100)", at),
        "id": f"'pay_' || {_base62(milliseconds, 8)} || substr(md5({n}::text), 1, 22)",
        "merchant_id": large_owner("i"),
        "customer_id": numbered("cus", f"{FIRST_NUMBER} + {n} * 7919 % {CUSTOMERS}"),
        "amount": f"CASE WHEN {n} % 20 = 0 THEN 1250 ELSE ({n} * 31 % 20000) + 1 END",
        "amount_refunded": "0",
        "amount_refund_pending": "0",
        "reference": f"CASE WHEN {n} % 10 = 1 THEN 'R-' || {n} END",
        "order_id": f"CASE WHEN {n} % 10 = 2 THEN 'Order ' || {n} END",
        "invoice_number": f"CASE WHEN {n} % 20 = 3 THEN 'INV/' || {n} END",
        "customer_email": f"CASE WHEN {n} % 20 = 3 THEN 'Payer' || {n} || '@example.com' END",
        "metadata": f"""CASE WHEN {n} % 3 = 0 THEN jsonb_build_object('cart', 'c' || {n})
            ELSE '{{}}' END""",
        "created_at": at,
        "updated_at": at,
    }


def _refunds(refund: "Model") -> str:
    """Return the statement that partially refunds one in sixteen paid payments."""
    changes = {
        "id": "'ref_' || substr(payment.id, 5)",
        "payment_id": "payment.id",
        "merchant_id": "payment.merchant_id",
        "amount": "least(payment.amount, 500)",
        "transaction_id": "'txn_r' || substr(payment.id, 6)",
        "created_at": "payment.created_at",
        "succeeded_at": "payment.completed_at",
    }
    columns = [str(field.column) for field in refund._meta.concrete_fields]
    values = [changes.get(column, f"template.{column}") for column in columns]
    return f"""
        INSERT INTO refunds_refund ({", ".join(columns)}) SELECT {", ".join(values)}
        FROM payments_payment AS payment, refunds_refund AS template
        WHERE template.id = '{refund.pk}' AND payment.status = 'completed'
            AND payment.id <> template.payment_id AND right(payment.id, 1) = '7'
    """  # noqa: S608  # no part of it comes from outside


def _base62(number: str, width: int) -> str:
    """Return an SQL expression for a number in base 62, as in ids."""
    digits = (
        f"substr('{ALPHABET}', (({number}) / {62**place} % 62)::int + 1, 1)"
        for place in reversed(range(width))
    )
    return " || ".join(digits)
