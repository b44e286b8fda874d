"""The lines of a statement as CSV (RFC 4180)."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from django.http import HttpResponse

from core.clock import iso
from core.money import decimal_text
from core.spreadsheets import Cell, csv_download
from payouts.models import AccountStatement

LINE_COLUMNS = (
    *("created_at", "type", "reference", "transaction_id"),
    *("amount", "amount_cents", "currency", "description"),
)


def file_of_lines(statement: AccountStatement, lines: Iterable[dict[str, Any]]) -> HttpResponse:
    """Return the lines as a CSV download."""
    rows = (_line_cells(statement.currency, line) for line in lines)
    return csv_download(statement.id, LINE_COLUMNS, rows)


def _line_cells(currency: str, line: dict[str, Any]) -> tuple[Cell, ...]:
    return (
        iso(line["created_at"]),
        line["type"],
        line["reference"],
        line["transaction_id"],
        Decimal(decimal_text(line["amount"], currency)),
        Decimal(line["amount"]),
        currency,
        line["description"],
    )
