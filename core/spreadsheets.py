"""Rows as CSV (RFC 4180), for spreadsheets and for banks' upload pages."""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from django.http import HttpResponse

from core.errors import InvalidRequest

CSV_LINES = 10_000
_SIGN = r"[=+@\-\uff1d\uff0b\uff0d\uff20]"  # begins a formula
_BEGINS = re.compile(rf"[\t\r\n\0]|\s*{_SIGN}")
# If decimals have a comma, a spreadsheet splits at semicolons, and reads our quotes as text.
_BEGINS_A_PART = re.compile(rf"""([;\t\r\n])(?=(?:[^\S\t\r\n]|["\0])*{_SIGN})""")

Cell = str | Decimal


def is_csv(query: Mapping[str, str], accept: str) -> bool:
    """Return whether a CSV file is asked for. Raises InvalidRequest for an unknown format."""
    if query.get("format", "csv") not in ("csv", "json"):
        raise InvalidRequest(format="must be csv or json")
    # Generated clients accept every documented type; JSON wins.
    prefers_csv = "text/csv" in accept and "application/json" not in accept
    return query.get("format", "csv" if prefers_csv else "json") == "csv"


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Write rows of texts and numbers under a line of column names."""
    buffer = io.StringIO()
    _write(buffer, columns, rows)
    return buffer.getvalue()


def csv_download(name: str, columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> HttpResponse:
    """Answer with rows as a file to be saved."""
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    _write(response, columns, rows)  # row by row: with metadata a file may have 100 MB
    return response


def _write(file: Any, columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([cell if isinstance(cell, Decimal) else as_text(cell) for cell in row])


def as_text(cell: str) -> str:
    """Keep a spreadsheet from running text as formulas, by an apostrophe before each of them."""
    parts = _BEGINS_A_PART.sub(r"\1'", cell)
    return f"'{parts}" if _BEGINS.match(cell) else parts
