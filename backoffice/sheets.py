"""Tables for a spreadsheet: numbers are numbers, and no text is a formula."""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from decimal import Decimal
from typing import Any

from django.utils import timezone

from core.spreadsheets import as_text

_UNPRINTABLE = re.compile("[\x00-\x1f\x7f]")


@dataclass(frozen=True)
class Worksheet:
    """A title, the headings, and rows of texts, integers, decimals, dates and instants.

    Instants are written in `zone`, that of staff where there is none. `summary` goes before it in
    Excel, on a page of its own.
    """

    title: str
    columns: Sequence[str]
    rows: Iterable[Sequence[Any]]
    zone: tzinfo | None = None
    summary: "Worksheet | None" = None


def escape_cell(cell: Any) -> Any:
    """Keep a spreadsheet from running a text: an apostrophe makes it a text again."""
    if cell is None or cell == "":
        return ""
    if isinstance(cell, int | Decimal | date) and not isinstance(cell, bool):
        return cell
    return as_text(_UNPRINTABLE.sub(" ", str(cell)))


def local_time(instant: datetime, sheet: Worksheet) -> datetime:
    """Return an instant in the zone of the sheet."""
    return timezone.localtime(instant, sheet.zone)


def csv_lines(sheet: Worksheet) -> Iterator[bytes]:
    """Yield a sheet as the lines of a CSV file, which Excel reads as UTF-8."""
    writer: Any = csv.writer(_Echo(), lineterminator="\r\n")
    yield f"\ufeff{writer.writerow(sheet.columns)}".encode()
    for row in sheet.rows:
        yield str(writer.writerow([_in_csv(cell, sheet) for cell in row])).encode()


class _Echo:
    """A file for the writer of CSV that gives each line back."""

    def write(self, line: str) -> str:
        return line


def _in_csv(cell: Any, sheet: Worksheet) -> Any:
    if isinstance(cell, datetime):
        return local_time(cell, sheet).isoformat(sep=" ", timespec="seconds")
    return escape_cell(cell)
