"""Flat shapes in millimetres, origin at the top left, written as SVG or as PDF."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from io import BytesIO
from xml.sax.saxutils import escape, quoteattr

from checkout.paper import POINTS_PER_MM, Paper, cut

ROUNDING = 1.001
MOST_LETTERS = 200  # per line: more fit on no paper, however small the type
BASELINE = 0.8  # of the height of a cell
# A fixed date, so that equal posters are equal files, byte for byte.
UNDATED = datetime(2000, 1, 1, tzinfo=UTC)


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
    """A line of text, centred on `x`; `size` is the font size in millimetres.

    If wider than `room`, it shrinks down to `smallest`, and is truncated if still too wide.
    """

    x: float
    y: float
    size: float
    text: str
    color: str
    bold: bool = False
    room: float | None = None
    smallest: float = 0


@dataclass(frozen=True)
class Picture:
    """A PNG fitted into a square, with its aspect ratio kept."""

    x: float
    y: float
    side: float
    png: bytes


Shape = Rectangle | Circle | Words | Picture


@dataclass(frozen=True)
class Sheet:
    """A page of paper and what is drawn on it."""

    width: float
    height: float
    title: str
    shapes: Sequence[Shape]


def fitted(words: Words, paper: Paper) -> Words:
    """Return the words shrunk or truncated to fit.

    At most MOST_LETTERS are measured, and only a few times, because measuring is slow.
    """
    if words.room is None:
        return words
    room = words.room
    words = replace(words, text=cut(words.text, MOST_LETTERS))
    most, width = room * ROUNDING, _width(words, paper)
    if width <= most:
        return words
    smaller = replace(words, size=max(words.size * room / width, words.smallest))
    return smaller if _width(smaller, paper) <= most else _cut(smaller, most, paper)


def _cut(words: Words, most: float, paper: Paper) -> Words:
    """Truncate the words to what fits, with an ellipsis."""
    fits, too_long = 1, len(words.text)
    while too_long - fits > 1:
        length = (fits + too_long) // 2
        if _width(replace(words, text=cut(words.text, length)), paper) <= most:
            fits = length
        else:
            too_long = length
    return replace(words, text=cut(words.text, fits))


def _width(words: Words, paper: Paper) -> float:
    paper.write_with(words.size * POINTS_PER_MM, words.color, bold=words.bold)
    return paper.get_string_width(words.text)


def as_svg(sheet: Sheet) -> bytes:
    """Return the sheet as an SVG in millimetres, which prints without any fonts."""
    paper = _paper_of(sheet)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{sheet.width}mm" '
        f'height="{sheet.height}mm" viewBox="0 0 {sheet.width} {sheet.height}" role="img">',
        f"<title>{escape(sheet.title)}</title>",
        *(_svg_shape(shape, paper) for shape in sheet.shapes),
        "</svg>",
    ]
    return "\n".join(parts).encode()


def as_pdf(sheet: Sheet) -> bytes:
    """Return the sheet as a PDF of one page."""
    paper = _paper_of(sheet)
    paper.set_auto_page_break(False)
    paper.set_margin(0)
    paper.add_page()
    for shape in sheet.shapes:
        _pdf_shape(paper, shape)
    return bytes(paper.output())


def _paper_of(sheet: Sheet) -> Paper:
    return Paper(sheet.width, sheet.height, title=sheet.title, made_at=UNDATED)


def _svg_shape(shape: Shape, paper: Paper) -> str:
    match shape:
        case Rectangle(x, y, width, height, color):
            return (
                f'<rect x="{x:.3f}" y="{y:.3f}" width="{width:.3f}" height="{height:.3f}" '
                f'fill="{color}"/>'
            )
        case Circle(x, y, radius, color):
            return f'<circle cx="{x:.3f}" cy="{y:.3f}" r="{radius:.3f}" fill="{color}"/>'
        case Picture(x, y, side, png):
            return (
                f'<image x="{x:.3f}" y="{y:.3f}" width="{side:.3f}" height="{side:.3f}" '
                f'href="data:image/png;base64,{b64encode(png).decode()}"/>'
            )
        case Words():
            return _svg_words(fitted(shape, paper), paper)


def _svg_words(words: Words, paper: Paper) -> str:
    """Draw the words as outlines, with the text as their label."""
    left = words.x - _width(words, paper) / 2
    path = paper.outlines(words.text, x=left, y=words.y, size=words.size)
    return f'<path aria-label={quoteattr(words.text)} fill="{words.color}" d="{path}"/>'


def _pdf_shape(paper: Paper, shape: Shape) -> None:
    match shape:
        case Rectangle(x, y, width, height, color):
            paper.set_fill_color(color)
            paper.rect(x, y, width, height, style="F")
        case Circle(x, y, radius, color):
            paper.set_fill_color(color)
            paper.circle(x, y, radius, style="F")
        case Picture(x, y, side, png):
            paper.image(BytesIO(png), x, y, side, side, keep_aspect_ratio=True)
        case Words():
            _pdf_words(paper, fitted(shape, paper))


def _pdf_words(paper: Paper, words: Words) -> None:
    width = _width(words, paper)
    paper.set_xy(words.x - width / 2, words.y - words.size * BASELINE)
    paper.cell(width, words.size, words.text)
