"""A statement as PDF."""

from collections.abc import Sequence
from io import BytesIO
from typing import Any

from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.platypus import LongTable, Paragraph, SimpleDocTemplate, Spacer, Table

from checkout.shapes import writable

INK, QUIET, LINE = HexColor("#10242b"), HexColor("#4d6169"), HexColor("#c3d0d3")
MARGIN, BODY = 14 * mm, 9
_TEXT = ParagraphStyle("text", fontName="Helvetica", fontSize=BODY, leading=13, textColor=QUIET)
_NAME = ParagraphStyle("name", parent=_TEXT, fontName="Helvetica-Bold", fontSize=16, leading=22)
_NAME.textColor = INK
_LOOK = [
    ("FONT", (0, 0), (-1, -1), "Helvetica", BODY),
    ("TEXTCOLOR", (0, 0), (-1, -1), INK),
    ("ALIGN", (1, 0), (-1, -1), "RIGHT"),
    ("LINEBELOW", (0, 0), (-1, -1), 0.4, LINE),
]
_HEAD = [("FONT", (0, 0), (-1, 0), "Helvetica-Bold", BODY), ("TEXTCOLOR", (0, 0), (-1, 0), QUIET)]
_SUMS = [("FONT", (0, row), (-1, row), "Helvetica-Bold", BODY) for row in (0, -1)]


def written(
    *,
    title: str,
    lines: Sequence[str],
    sums: Sequence[Sequence[str]],
    columns: Sequence[str],
    days: Sequence[Sequence[str]],
) -> bytes:
    """Write a title, what it is of, its sums, and a row per day; the head on each page."""
    out = BytesIO()
    size = landscape(A4)
    document = SimpleDocTemplate(out, pagesize=size, title=writable(title), author="", **_margins())
    story: list[Any] = [Paragraph(_plain(title), _NAME)]
    story += [Paragraph(_plain(line), _TEXT) for line in lines]
    story += [Spacer(0, 5 * mm), Table(_cells(sums), hAlign="LEFT", style=_LOOK + _SUMS)]
    width = (size[0] - 2 * MARGIN - 24 * mm) / (len(columns) - 1)
    table = LongTable(
        [list(columns), *_cells(days)],
        repeatRows=1,
        colWidths=[24 * mm, *[width] * (len(columns) - 1)],
        style=_LOOK + _HEAD,
    )
    document.build([*story, Spacer(0, 7 * mm), table])
    return out.getvalue()


def _margins() -> dict[str, float]:
    return {f"{side}Margin": MARGIN for side in ("left", "right", "top", "bottom")}


def _cells(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    return [[writable(cell) for cell in row] for row in rows]


def _plain(text: str) -> str:
    return writable(text).replace("&", "&amp;").replace("<", "&lt;")
