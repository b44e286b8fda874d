"""What a spreadsheet program reads of our files."""

import io
import re
import zipfile
from decimal import Decimal
from typing import Any

import pytest
from openpyxl import load_workbook

from backoffice.sheets import Worksheet, escape_cell, write_xlsx


@pytest.mark.parametrize(
    ("rows", "widths"),
    [
        ([], [20, 32]),
        ([("A" * 30, 7)], [32, 32]),
        ([("A" * 90, "short")], [45, 32]),
        ([("A" * 30, None), ("A" * 40, None)], [42, 32]),
        ([(None, None), ("A" * 40, None)], [42, 32]),
        ([*[("A" * 30, None)] * 20, ("A" * 40, None)], [32, 32]),
    ],
)
def test_a_column_of_excel_is_as_wide_as_its_heading_and_first_texts(
    rows: list[tuple[Any, ...]], widths: list[int]
) -> None:
    file = io.BytesIO()
    write_xlsx(Worksheet("Rows", ("No.", "H" * 30), rows), file)

    page = load_workbook(file)["Rows"]
    assert [page.column_dimensions[letter].width for letter in "AB"] == widths
    assert [[cell.value for cell in row] for row in page.iter_rows(min_row=2)] == [
        list(row) for row in rows
    ]


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=1", "'=1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@a", "'@a"),
        (" =1", "' =1"),
        ("\t=1", "' =1"),
        ("\r\n=1", "'  =1"),
        ("\uff1d1", "'\uff1d1"),
        ("a;=1+1", "a;'=1+1"),
        ("a\t@SUM(A1)", "a @SUM(A1)"),
        ("a=1; b", "a=1; b"),
        ("a=1", "a=1"),
        (-5, -5),
        (None, ""),
        ("nul\0", "nul "),
        ("a\ufffe\uffffb", "a  b"),
    ],
)
def test_no_cell_is_a_formula(cell: object, written: object) -> None:
    assert escape_cell(cell) == written


def test_a_cell_of_excel_in_which_nothing_stands_is_no_text() -> None:
    columns = ("Order", "Amount", "Description", "Balance")
    file = io.BytesIO()

    write_xlsx(Worksheet("Movements", columns, [("", None, "Cake", Decimal("1.50"))]), file)

    with zipfile.ZipFile(file) as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
    assert re.findall(r'<c r="([A-Z]2)"', sheet) == ["C2", "D2"]
