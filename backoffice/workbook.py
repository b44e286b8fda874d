"""Excel files (ISO/IEC 29500), written a row at a time: a library takes ten times as long.

A file is a ZIP of parts: the rows of each page, the names of the pages, and the styles.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import chain, groupby, product
from string import ascii_uppercase
from tempfile import NamedTemporaryFile
from typing import IO, Any
from xml.sax.saxutils import escape, quoteattr
from zipfile import ZIP_DEFLATED, ZipFile

from backoffice.sheets import Worksheet, escape_cell, local_time

PAGE_ROWS = 1_000_000  # what a page of Excel has room for, and a little less
COLUMN_WIDTH = 20  # in characters: Excel shows an instant as "####" where it has no room
CELL_CHARACTERS = 32_767
COLUMNS = (*ascii_uppercase, *map("".join, product(ascii_uppercase, repeat=2)))
FIRST_DAY = date(1899, 12, 30)  # what Excel counts days from
MIDNIGHT = datetime(1899, 12, 30)  # noqa: DTZ001  # Excel knows no zones
DAY = timedelta(days=1)
# By the number of a style, from 1: of an instant, a date, and amounts of 0 to 4 decimals.
FORMATS = (
    *("yyyy-mm-dd hh:mm:ss", "yyyy-mm-dd"),
    *("#,##0", "#,##0.0", "#,##0.00", "#,##0.000", "#,##0.0000"),
)
_INSTANT, _DATE, _AMOUNT = 1, 2, 3
_OWN_FORMATS = 164  # those before it are Excel's

_XML = '<?xml version="1.0" encoding="UTF-8"?>'
_MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = 'xmlns="http://schemas.openxmlformats.org/package/2006'
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_PAGE_BEGINS = (
    f'{_XML}<worksheet {_MAIN}><sheetViews><sheetView workbookViewId="0"><pane ySplit="1"'
    ' topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>'
    f'<sheetFormatPr defaultColWidth="{COLUMN_WIDTH}" defaultRowHeight="15"/><sheetData>'
)
_PAGE_ENDS = "</sheetData></worksheet>"


def write_xlsx(sheet: Worksheet, file: IO[bytes]) -> None:
    """Write a sheet as an Excel file, and its rows on further pages where one is full."""
    titles: list[str] = []
    with ZipFile(file, "w", ZIP_DEFLATED) as book:
        for each in filter(None, (sheet.summary, sheet)):
            for title, rows in _pages(each):
                titles.append(title)
                # Beside it first: an entry of a ZIP says before its content if it is over 2 GB.
                with NamedTemporaryFile("w", encoding="utf-8") as page:
                    page.write(_PAGE_BEGINS)
                    page.writelines(_row(*row, each) for row in enumerate(rows, 1))
                    page.write(_PAGE_ENDS)
                    page.flush()
                    book.write(page.name, f"xl/worksheets/sheet{len(titles)}.xml")
        for name, content in _frame(titles).items():
            book.writestr(name, _XML + content)


def _pages(sheet: Worksheet) -> Iterator[tuple[str, Iterable[Sequence[Any]]]]:
    """Yield the title and the rows of each page, the headings first."""
    number = 0
    counted = enumerate(sheet.rows, PAGE_ROWS)
    for number, group in groupby(counted, lambda each: each[0] // PAGE_ROWS):
        title = sheet.title if number == 1 else f"{sheet.title} {number}"
        yield title, chain([sheet.columns], (row for _, row in group))
    if not number:
        yield sheet.title, [sheet.columns]


def _row(number: int, cells: Sequence[Any], sheet: Worksheet) -> str:
    written = [
        f'<c r="{column}{number}"{_typed(cell, sheet)}</c>'
        for column, cell in zip(COLUMNS, cells, strict=False)
        if cell is not None and cell != ""
    ]
    return f'<row r="{number}">{"".join(written)}</row>'


def _typed(cell: Any, sheet: Worksheet) -> str:
    """Write a cell with its type; an instant as days, in its zone."""
    if isinstance(cell, datetime):
        instant = local_time(cell, sheet).replace(tzinfo=None, microsecond=0)
        return f' s="{_INSTANT}"><v>{(instant - MIDNIGHT) / DAY}</v>'
    if isinstance(cell, Decimal):
        return f' s="{_AMOUNT - int(cell.as_tuple().exponent)}"><v>{cell}</v>'
    if isinstance(cell, date):
        return f' s="{_DATE}"><v>{(cell - FIRST_DAY).days}</v>'
    known = escape_cell(cell)
    if isinstance(known, int):
        return f"><v>{known}</v>"
    text = escape(known[:CELL_CHARACTERS])
    return f' t="inlineStr"><is><t xml:space="preserve">{text}</t></is>'


def _frame(titles: Sequence[str]) -> dict[str, str]:
    """Return the parts that say what the pages are."""
    pages = list(enumerate(titles, 1))
    types = [("workbook.xml", "sheet.main"), ("styles.xml", "styles")]
    types += [(f"worksheets/sheet{number}.xml", "worksheet") for number, _ in pages]
    relations = [
        (f"sheet{number}", "worksheet", f"worksheets/sheet{number}.xml") for number, _ in pages
    ]
    return {
        "xl/styles.xml": _styles(),
        "xl/workbook.xml": f'<workbook {_MAIN} xmlns:r="{_RELATION}"><bookViews><workbookView/>'
        "</bookViews><sheets>"
        + "".join(
            f'<sheet name={quoteattr(title)} sheetId="{number}" r:id="sheet{number}"/>'
            for number, title in pages
        )
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": _relations(*relations, ("styles", "styles", "styles.xml")),
        "_rels/.rels": _relations(("book", "officeDocument", "xl/workbook.xml")),
        "[Content_Types].xml": f'<Types {_PACKAGE}/content-types">'
        '<Default Extension="rels"'
        ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        + "".join(
            f'<Override PartName="/xl/{part}" ContentType="{_TYPE}.{kind}+xml"/>'
            for part, kind in types
        )
        + "</Types>",
    }


def _relations(*parts: tuple[str, str, str]) -> str:
    related = "".join(
        f'<Relationship Id="{name}" Type="{_RELATION}/{kind}" Target="{target}"/>'
        for name, kind, target in parts
    )
    return f'<Relationships {_PACKAGE}/relationships">{related}</Relationships>'


def _styles() -> str:
    formats = "".join(
        f'<numFmt numFmtId="{_OWN_FORMATS + number}" formatCode="{words}"/>'
        for number, words in enumerate(FORMATS, 1)
    )
    styles = "".join(
        f'<xf numFmtId="{_OWN_FORMATS + number}" xfId="0" applyNumberFormat="1"/>'
        for number, _ in enumerate(FORMATS, 1)
    )
    return (
        f'<styleSheet {_MAIN}><numFmts>{formats}</numFmts><fonts><font><sz val="11"/>'
        '<name val="Calibri"/></font></fonts><fills><fill><patternFill patternType="none"/></fill>'
        '<fill><patternFill patternType="gray125"/></fill></fills><borders><border/></borders>'
        f"<cellStyleXfs><xf/></cellStyleXfs><cellXfs><xf/>{styles}</cellXfs>"
        '<cellStyles><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
    )
