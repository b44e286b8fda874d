"""Tables as CSV or Excel files, in which numbers are numbers and no text is a formula."""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from decimal import Decimal
from itertools import chain, islice, zip_longest
from typing import IO, Any

from django.utils import timezone

from core.spreadsheets import as_text

SHEET_ROWS = 1_000_000  # what a sheet of Excel has room for, and a little less
COLUMN_WIDTH = 20  # in characters: Excel shows an instant as "####" where it has no room
WIDEST = 45
ROOM = 2  # beside the text
MEASURED = 20  # rows, for the widths of the columns
AMOUNT_FORMATS = {0: "#,##0", 1: "#,##0.0", 2: "#,##0.00", 3: "#,##0.000", 4: "#,##0.0000"}
_NUMBERED = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")  # begins what Excel reads as one character
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f\ufffe\uffff]")  # the last two: no XML has them


@dataclass(frozen=True)
class Worksheet:
    """A title, the headings, and rows of texts, integers, decimals, dates and instants.

    Instants are written in `zone`, by default that of staff. `summary` precedes the rows in Excel,
    on a sheet of its own, and names the zone; without one, a last sheet does.
    """

    title: str
    columns: Sequence[str]
    rows: Iterable[Sequence[Any]]
    zone: tzinfo | None = None
    summary: "Worksheet | None" = None


def escape_cell(cell: Any) -> Any:
    """Keep a spreadsheet from evaluating a text, by an apostrophe in front of it."""
    if isinstance(cell, int | Decimal | date) and not isinstance(cell, bool):
        return cell
    return as_text(_UNPRINTABLE.sub(" ", "" if cell is None else str(cell)))


def csv_lines(sheet: Worksheet) -> Iterator[bytes]:
    """Yield a sheet as lines of CSV, which Excel recognizes as UTF-8."""
    writer: Any = csv.writer(_Echo(), lineterminator="\r\n")
    yield f"\ufeff{writer.writerow(sheet.columns)}".encode()
    for row in sheet.rows:
        yield str(writer.writerow([_in_csv(cell, sheet.zone) for cell in row])).encode()


def write_xlsx(sheet: Worksheet, file: IO[bytes]) -> None:
    """Write a sheet as an Excel file, continuing on further sheets when one is full."""
    # 5 MB of memory and 0.2 s of a start, which processes that export nothing are spared.
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    if sheet.summary:
        _fill(book, sheet.summary)
    _fill(book, sheet)
    if not sheet.summary:
        zone = str(sheet.zone or timezone.get_current_timezone_name())
        _fill(book, Worksheet("About", ("What", "Value"), [("Time zone", zone)]))
    book.save(file)


def write_sheet(sheet: Worksheet, form: str, file: IO[bytes]) -> None:
    """Write a sheet in a form that spreadsheets read: `csv` or `xlsx`."""
    if form == "csv":
        file.writelines(csv_lines(sheet))
    else:
        write_xlsx(sheet, file)


class _Echo:
    """A file-like object that returns each line that the CSV writer writes."""

    def write(self, line: str) -> str:
        return line


def _fill(book: Any, sheet: Worksheet) -> None:
    rows = iter(sheet.rows)
    first = list(islice(rows, MEASURED))
    widths = _widths(sheet.columns, first)
    page = _page(book, sheet, 0, widths)
    for number, row in enumerate(chain(first, rows)):
        if number and number % SHEET_ROWS == 0:
            page = _page(book, sheet, number // SHEET_ROWS, widths)
        page.append([_in_excel(page, cell, sheet.zone) for cell in row])


def _page(book: Any, sheet: Worksheet, number: int, widths: Sequence[int]) -> Any:
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter

    page = book.create_sheet(sheet.title if not number else f"{sheet.title} {number + 1}")
    page.freeze_panes = "A2"
    page.sheet_format.defaultColWidth = COLUMN_WIDTH
    for place, width in enumerate(widths, 1):
        page.column_dimensions[get_column_letter(place)].width = width
    headings = [WriteOnlyCell(page, value=heading) for heading in sheet.columns]
    for heading in headings:
        heading.font = Font(bold=True)
    page.append(headings)
    return page


def _widths(columns: Sequence[str], first: Sequence[Sequence[Any]]) -> list[int]:
    """Return the width of each column: its heading is read whole, and an id as in the first rows.

    One row is too few: that of an opening balance has no ids.
    """
    longest = [
        max(len(cell) if isinstance(cell, str) else 0 for cell in cells)
        for cells in zip_longest(columns, *(row[: len(columns)] for row in first), fillvalue="")
    ]
    return [min(max(length + ROOM, COLUMN_WIDTH), WIDEST) for length in longest]


def _in_csv(cell: Any, zone: tzinfo | None) -> Any:
    if isinstance(cell, datetime):
        return timezone.localtime(cell, zone).isoformat(sep=" ", timespec="seconds")
    return escape_cell(cell)


def _in_excel(page: Any, cell: Any, zone: tzinfo | None) -> Any:
    """Return a cell with its type; an instant without its zone, which Excel does not support.

    Where nothing stands there is no cell: an empty text in a sum of two cells is an error.
    """
    from openpyxl.cell import WriteOnlyCell

    if isinstance(cell, datetime):
        return timezone.localtime(cell, zone).replace(tzinfo=None, microsecond=0)
    if isinstance(cell, Decimal):
        typed = WriteOnlyCell(page, value=cell)
        typed.number_format = AMOUNT_FORMATS[-int(cell.as_tuple().exponent)]
        return typed
    written = escape_cell(cell)
    return _NUMBERED.sub("_x005F_", written) or None if isinstance(written, str) else written
