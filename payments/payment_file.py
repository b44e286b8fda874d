"""Payments as a CSV file for spreadsheets."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from django.http import HttpResponse

from core.money import decimal_text
from core.spreadsheets import Cell, csv_download

_MONEY = ("amount", "fee", "net", "amount_refunded")
_TEXTS = (
    *("id", "status", "payment_mode", "description", "order_id", "invoice_number", "reference"),
    *("customer_id", "payment_link_id", "static_payment_id", "transaction_id", "created_at"),
    *("completed_at", "expires_at"),
)
COLUMNS = (*_TEXTS[:2], "currency", *_MONEY, "amount_cents", *_TEXTS[2:])


def file_of_payments(payments: Iterable[dict[str, Any]]) -> HttpResponse:
    """Return a CSV download of payments, given as a list renders them."""
    return csv_download("payments", COLUMNS, map(_cells, payments))


def _cells(payment: dict[str, Any]) -> list[Cell]:
    return [_cell(payment, column) for column in COLUMNS]


def _cell(payment: dict[str, Any], column: str) -> Cell:
    cents = payment.get("amount" if column == "amount_cents" else column)
    if cents is None:
        return ""
    if column == "amount_cents":
        return Decimal(cents)
    if column in _MONEY:
        return Decimal(decimal_text(cents, payment["currency"]))
    return str(cents)
