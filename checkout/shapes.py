"""Flat shapes in millimetres, origin at the top left, written as SVG or as PDF."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from xml.sax.saxutils import escape

from reportlab.lib.colors import HexColor
from reportlab.lib.units import mm
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

POINTS_PER_MM = mm
ROUNDING = 1.001
_SPACES = re.compile("[\u2000-\u200a\u202f\u205f\u3000]")


@dataclass(frozen=True)
class Rectangle:
    x: float
    y: float
    width: float
    height: float
    color: str


@dataclass(frozen=True)
class Circle:
    x: float
    y: float
    radius: float
    color: str


@dataclass(frozen=True)
class Words:
    """A line of text, centred on `x`; `size` is the height of the type in millimetres."""

    x: float
    y: float
    size: float
    text: str
    color: str
    bold: bool = False

    @property
    def font(self) -> str:
        return "Helvetica-Bold" if self.bold else "Helvetica"


Shape = Rectangle | Circle | Words


@dataclass(frozen=True)
class Sheet:
    """A page of paper and what is drawn on it."""

    width: float
    height: float
    title: str
    shapes: Sequence[Shape]


def fitted(text: str, *, size: float, room: float, bold: bool = False) -> float:
    """Return the type size, at most `size`, at which the text is no wider than `room`."""
    width = _width(text, size, bold=bold)
    return size if width <= room else size * room / width


def cut(text: str, *, size: float, room: float, bold: bool = False) -> str:
    """Return the text, or as much of its beginning as is no wider than `room` at this type size."""
    most = room * ROUNDING
    if _width(text, size, bold=bold) <= most:
        return text
    shorter = (f"{text[:length].rstrip()}…" for length in range(len(text), 0, -1))
    return next((part for part in shorter if _width(part, size, bold=bold) <= most), "…")


def _width(text: str, size: float, *, bold: bool) -> float:
    font = "Helvetica-Bold" if bold else "Helvetica"
    width: float = stringWidth(writable(text), font, size)
    return width


def writable(text: str) -> str:
    """Return the text with what the PDF's own fonts cannot write replaced, spaces by spaces."""
    return _SPACES.sub("\u00a0", text).encode("cp1252", "replace").decode("cp1252")


def as_svg(sheet: Sheet) -> bytes:
    """Write the sheet as an SVG of its size in millimetres."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{sheet.width}mm" '
        f'height="{sheet.height}mm" viewBox="0 0 {sheet.width} {sheet.height}" role="img">',
        f"<title>{escape(sheet.title)}</title>",
        *map(_svg_shape, sheet.shapes),
        "</svg>",
    ]
    return "\n".join(parts).encode()


def as_pdf(sheet: Sheet) -> bytes:
    """Write the sheet as a PDF of one page."""
    out = BytesIO()
    size = (sheet.width * POINTS_PER_MM, sheet.height * POINTS_PER_MM)
    canvas = Canvas(out, pagesize=size, invariant=True)
    canvas.setTitle(writable(sheet.title))
    canvas.translate(0, size[1])
    canvas.scale(POINTS_PER_MM, POINTS_PER_MM)
    for shape in sheet.shapes:
        _pdf_shape(canvas, shape)
    canvas.showPage()
    canvas.save()
    return out.getvalue()


def _svg_shape(shape: Shape) -> str:
    match shape:
        case Rectangle(x, y, width, height, color):
            return (
                f'<rect x="{x:.3f}" y="{y:.3f}" width="{width:.3f}" height="{height:.3f}" '
                f'fill="{color}"/>'
            )
        case Circle(x, y, radius, color):
            return f'<circle cx="{x:.3f}" cy="{y:.3f}" r="{radius:.3f}" fill="{color}"/>'
        case Words():
            weight = "700" if shape.bold else "400"
            return (
                f'<text x="{shape.x:.3f}" y="{shape.y:.3f}" font-size="{shape.size:.3f}" '
                f'font-weight="{weight}" font-family="Helvetica, Arial, sans-serif" '
                f'text-anchor="middle" fill="{shape.color}">{escape(shape.text)}</text>'
            )


def _pdf_shape(canvas: Canvas, shape: Shape) -> None:
    canvas.setFillColor(HexColor(shape.color))
    match shape:
        case Rectangle(x, y, width, height, _):
            canvas.rect(x, -y - height, width, height, stroke=0, fill=1)
        case Circle(x, y, radius, _):
            canvas.circle(x, -y, radius, stroke=0, fill=1)
        case Words():
            canvas.setFont(shape.font, shape.size)
            canvas.drawCentredString(shape.x, -shape.y, writable(shape.text))
