"""Rows as CSV (RFC 4180), for spreadsheets and for the upload pages of banks."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from django.http import HttpResponse

from core.errors import InvalidRequest

CSV_LINES = 10_000
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\0", "\uff1d", "\uff0b", "\uff0d", "\uff20")

Cell = str | Decimal


def is_csv(query: Mapping[str, str], accept: str) -> bool:
    """Return whether a file is asked for. Raises InvalidRequest for another format than ours."""
    if query.get("format", "csv") not in ("csv", "json"):
        raise InvalidRequest(format="must be csv or json")
    # Generated clients accept every documented type; JSON wins.
    prefers_csv = "text/csv" in accept and "application/json" not in accept
    return query.get("format", "csv" if prefers_csv else "json") == "csv"


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Write rows of texts and numbers under a line of column names."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_plain(cell) for cell in row])
    return buffer.getvalue()


def csv_download(name: str, columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> HttpResponse:
    """Answer with rows as a file to be saved."""
    response = HttpResponse(csv_text(columns, rows), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response


def _plain(cell: Cell) -> str:
    """Keep a spreadsheet from running a text as a formula, by an apostrophe in front."""
    if isinstance(cell, Decimal):
        return str(cell)
    return f"'{cell}" if cell.lstrip(" ").startswith(_FORMULA) else cell
