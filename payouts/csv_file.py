"""A batch of payouts as CSV (RFC 4180), for a bank's upload page or a spreadsheet."""

import csv
import io
from collections.abc import Iterable, Sequence
from decimal import Decimal

from core.money import decimal_text
from payouts.batches import PaymentOrder

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
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\0")

Cell = str | Decimal


def csv_file(orders: Iterable[PaymentOrder]) -> str:
    """Write one line for each order, under a line of column names."""
    return csv_text(COLUMNS, map(_cells, orders))


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Write rows of texts and numbers under a line of column names."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_plain(cell) for cell in row])
    return buffer.getvalue()


def _cells(order: PaymentOrder) -> tuple[str, ...]:
    return (
        order.payout_id,
        decimal_text(order.amount, order.currency),
        str(order.amount),
        order.currency,
        order.holder_name,
        order.number,
        order.bank_name,
        order.bic,
        order.clearing_code,
        order.description,
        order.end_to_end_id,
    )


def _plain(cell: Cell) -> str:
    """Keep a spreadsheet from running a text as a formula, by an apostrophe in front."""
    if isinstance(cell, Decimal):
        return str(cell)
    return f"'{cell}" if cell.lstrip(" ").startswith(_FORMULA) else cell
