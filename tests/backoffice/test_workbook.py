"""Excel files as a spreadsheet reads them"""

import io
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from openpyxl import Workbook, load_workbook

from backoffice import workbook
from backoffice.sheets import Worksheet

NASSAU = ZoneInfo("America/Nassau")


def read_back(sheet: Worksheet) -> Workbook:
    file = io.BytesIO()
    workbook.write_xlsx(sheet, file)
    return load_workbook(file)


@pytest.mark.parametrize(
    ("cell", "value", "number_format"),
    [
        ("Rum & “cake” <1 l>", "Rum & “cake” <1 l>", "General"),
        ("  two\nlines ", "  two lines ", "General"),
        ("=1+1", "'=1+1", "General"),
        ("x" * 40_000, "x" * 32_767, "General"),
        ("007", "007", "General"),
        (None, None, "General"),
        ("", None, "General"),
        (1250, 1250, "General"),
        (Decimal("-12.50"), -12.5, "#,##0.00"),
        (Decimal("999999999.99"), 999999999.99, "#,##0.00"),
        (Decimal(1250), 1250, "#,##0"),
        (Decimal("1.250"), 1.25, "#,##0.000"),
        (date(2026, 2, 27), datetime(2026, 2, 27), "yyyy-mm-dd"),  # noqa: DTZ001
        (
            datetime(2026, 11, 10, 2, 0, 59, 999_999, tzinfo=UTC),
            datetime(2026, 11, 9, 21, 0, 59),  # noqa: DTZ001
            "yyyy-mm-dd hh:mm:ss",
        ),
    ],
)
def test_a_cell_has_its_type(cell: Any, value: Any, number_format: str) -> None:
    page = read_back(Worksheet("Rows", ["Before", "Cell"], [["x", cell]], zone=NASSAU)).active

    assert page is not None
    assert (page["B2"].value, page["B2"].number_format) == (value, number_format)
    assert (page["A1"].value, page["B1"].value, page["A2"].value) == ("Before", "Cell", "x")


def test_what_one_page_has_no_room_for_is_on_further_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook, "PAGE_ROWS", 2)
    summary = Worksheet("Summary & sums", ["", "Amount"], [["Closing", Decimal("1.00")]])
    rows = [[number] for number in range(5)]

    book = read_back(Worksheet("Rows", ["No."], iter(rows), summary=summary))

    pages = {page.title: [row[0] for row in page.values] for page in book.worksheets}
    assert pages == {
        "Summary & sums": [None, "Closing"],
        "Rows": ["No.", 0, 1],
        "Rows 2": ["No.", 2, 3],
        "Rows 3": ["No.", 4],
    }
    assert {page.freeze_panes for page in book.worksheets} == {"A2"}


def test_a_sheet_without_rows_has_its_headings() -> None:
    book = read_back(Worksheet("Rows", ["No."], []))

    assert [list(page.values) for page in book.worksheets] == [[("No.",)]]
