"""Payments as a CSV file for spreadsheets."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from django.http import HttpResponse

from core.json import dump_json
from core.money import decimal_text
from core.spreadsheets import Cell, as_text, csv_download

COLUMNS = (
    *("id", "status", "currency", "amount", "fee", "net", "amount_refunded", "amount_cents"),
    *("payment_mode", "description", "order_id", "invoice_number", "reference", "customer_id"),
    *("payment_link_id", "static_payment_id", "transaction_id"),
    *("created_at", "completed_at", "expires_at"),
    # Programs may go by the place of a column: what was added later stands last.
    *("tip", "metadata"),
)
_MONEY = frozenset({"amount", "fee", "net", "amount_refunded", "tip"})


def file_of_payments(payments: Iterable[dict[str, Any]]) -> HttpResponse:
    """Return a CSV download of payments, given as a list renders them."""
    return csv_download("payments", COLUMNS, map(_cells, payments))


def _cells(payment: dict[str, Any]) -> list[Cell]:
    return [_cell(payment, column) for column in COLUMNS]


def _cell(payment: dict[str, Any], column: str) -> Cell:
    if column == "metadata":
        return _json_cell(payment[column])
    cents = payment.get("amount" if column == "amount_cents" else column)
    if cents is None:
        return ""
    if column == "amount_cents":
        return Decimal(cents)
    if column in _MONEY:
        return Decimal(decimal_text(cents, payment["currency"]))
    return str(cents)


def _json_cell(metadata: dict[str, Any]) -> str:
    """Write metadata so that no part of it is a formula, and a program reads what was stored."""
    written = dump_json(metadata).decode() if metadata else ""
    return written if as_text(written) == written else written.replace(";", r"\u003b")
