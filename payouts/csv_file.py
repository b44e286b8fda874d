"""A batch of payouts as CSV (RFC 4180), for a bank's upload page or a spreadsheet."""

from collections.abc import Iterable

from core.money import decimal_text
from core.spreadsheets import csv_text
from payouts.models import PayoutOrder

COLUMNS = (
    "payout_id",
    "amount",
    "amount_cents",
    "currency",
    "holder_name",
    "account_number",
    "bank_name",
    "bic",
    "clearing_code",
    "description",
    "end_to_end_id",
)


def csv_file(orders: Iterable[PayoutOrder]) -> str:
    """Write one line for each order, under a line of column names."""
    return csv_text(COLUMNS, map(_cells, orders))


def _cells(order: PayoutOrder) -> tuple[str, ...]:
    currency = order.batch.currency
    return (
        order.payout_id,
        decimal_text(order.amount, currency),
        str(order.amount),
        currency,
        order.holder_name,
        order.decrypt_number(),
        order.bank_name,
        order.bic,
        order.clearing_code,
        order.description,
        order.end_to_end_id,
    )
