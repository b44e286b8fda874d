"""A batch of payouts as CSV (RFC 4180), for a bank's upload page or a spreadsheet."""

import csv
import io
import re
from collections.abc import Iterable, Sequence

from core.money import decimal_text
from payouts.batches import PaymentOrder

COLUMNS = (
    "payout_id",
    "end_to_end_id",
    "amount",
    "amount_cents",
    "currency",
    "holder_name",
    "account_number",
    "bank_name",
    "bic",
    "clearing_code",
    "description",
)
_NEGATIVE = re.compile(r"-[0-9]+(\.[0-9]+)?", re.ASCII)
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\0")


def csv_file(orders: Iterable[PaymentOrder]) -> str:
    """Write one line for each order, under a line of column names."""
    return csv_text(COLUMNS, map(_cells, orders))


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write rows under a line of column names."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_plain(cell) for cell in row])
    return buffer.getvalue()


def _cells(order: PaymentOrder) -> tuple[str, ...]:
    return (
        order.payout_id,
        order.end_to_end_id,
        decimal_text(order.amount, order.currency),
        str(order.amount),
        order.currency,
        order.holder_name,
        order.number,
        order.bank_name,
        order.bic,
        order.clearing_code,
        order.description,
    )


def _plain(cell: str) -> str:
    """Keep a spreadsheet from running a text as a formula, by an apostrophe in front."""
    is_formula = cell.lstrip(" ").startswith(_FORMULA) and not _NEGATIVE.fullmatch(cell)
    return f"'{cell}" if is_formula else cell
