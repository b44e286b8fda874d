"""The poster of a counter or a link: a QR code to scan, in three paper sizes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

from django.utils import translation
from django.utils.translation import gettext as _

from checkout.branding import ink_on
from checkout.shapes import (
    Circle,
    Picture,
    Rectangle,
    Shape,
    Sheet,
    Words,
    as_pdf,
    as_svg,
)
from core.concurrency import drawing_slot
from core.qr import modules

SIZES = {"a4": (210.0, 297.0), "a5": (148.0, 210.0), "card": (105.0, 148.0)}
INK, QUIET, WARN, WHITE = "#10242b", "#4d6169", "#6b4a00", "#ffffff"
BRAND = "#0b6b66"
TEETH = 26
SMALLEST = 2.6  # hundredths of the paper's width
PAPERS = {"pdf": as_pdf, "svg": as_svg}
POSTERS_KEPT = 64  # 150 kB each at most


@dataclass(frozen=True)
class Poster:
    """The contents of a poster. The QR code leads to `address`; `amount` is formatted.

    `logo` is a PNG, or empty.
    """

    payee: str
    address: str
    service: str
    color: str = ""
    amount: str = ""
    description: str = ""
    livemode: bool = True
    logo: bytes = b""


@lru_cache(maxsize=POSTERS_KEPT)
def drawn_poster(poster: Poster, *, size: str, form: str, language: str) -> bytes:
    """Draw a poster in a format from PAPERS, cached by contents. Raises ConcurrencyLimitReached."""
    with drawing_slot(), translation.override(language):
        return PAPERS[form](_sheet(poster, size))


def _sheet(poster: Poster, size: str) -> Sheet:
    """Lay the poster out on a paper size from SIZES."""
    width, height = SIZES[size]
    title = _("Scan to pay %(name)s") % {"name": poster.payee}
    return Sheet(width, height, title, tuple(_shapes(poster, width, height)))


def _shapes(poster: Poster, width: float, height: float) -> Iterator[Shape]:
    unit, middle = width / 100, width / 2
    yield Rectangle(0, 0, width, height, WHITE)
    yield from _band(poster, width, unit)
    yield Words(middle, 53 * unit, 8.4 * unit, _("Scan to pay"), INK, bold=True)
    yield from _code(poster, x=21 * unit, y=59 * unit, side=58 * unit)
    yield from _below(poster, middle, unit)
    foot = f"{poster.service} · {urlsplit(poster.address).netloc}"
    yield Words(middle, height - 5 * unit, 2.6 * unit, foot, QUIET)


def _band(poster: Poster, width: float, unit: float) -> Iterator[Shape]:
    color = f"#{poster.color}" if poster.color else BRAND
    depth, tooth = 34 * unit, width / TEETH / 2
    yield Rectangle(0, 0, width, depth, color)
    for number in range(TEETH):
        yield Circle(tooth * (2 * number + 1), depth, tooth, color)
    ink = ink_on(color.removeprefix("#"))
    base, size, below = (25, 7.5, 30) if poster.logo else (22, 9.5, 27.5)
    base -= 3 if poster.description else 0
    yield _line(poster.payee, width / 2, base * unit, size * unit, ink, unit, bold=True)
    if poster.description:
        yield _line(poster.description, width / 2, below * unit, 4.2 * unit, ink, unit)
    if poster.logo:
        yield from _logo(poster.logo, width / 2, unit)


def _logo(png: bytes, middle: float, unit: float) -> Iterator[Shape]:
    """Draw the logo on a white tile, as the page does."""
    tile, side, top = 12 * unit, 10.5 * unit, 3 * unit
    margin = (tile - side) / 2
    yield Rectangle(middle - tile / 2, top, tile, tile, WHITE)
    yield Picture(middle - side / 2, top + margin, side, png)


def _line(
    text: str, x: float, y: float, size: float, ink: str, unit: float, *, bold: bool = False
) -> Words:
    """Fit a text on one line: shrink it, and truncate it if it would get too small."""
    room, smallest = 86 * unit, SMALLEST * unit
    return Words(x, y, size, text, ink, bold=bold, room=room, smallest=smallest)


def _code(poster: Poster, *, x: float, y: float, side: float) -> Iterator[Shape]:
    """Draw the QR code, one rectangle for each run of dark modules."""
    code = modules(poster.address)
    step = side / len(code)
    for row, line in enumerate(code):
        for start, length in _runs(line):
            yield Rectangle(x + start * step, y + row * step, length * step, step * 1.01, "#000000")


def _runs(line: Sequence[bool]) -> Iterator[tuple[int, int]]:
    start = None
    for column, dark in enumerate([*line, False]):
        if dark and start is None:
            start = column
        elif not dark and start is not None:
            yield start, column - start
            start = None


def _below(poster: Poster, middle: float, unit: float) -> Iterator[Shape]:
    if poster.amount:
        yield _line(poster.amount, middle, 127.5 * unit, 8 * unit, INK, unit, bold=True)
    else:
        hint = _("Open your camera, scan, enter the amount")
        yield _line(hint, middle, 125 * unit, 4 * unit, INK, unit)
    if not poster.livemode:
        words = _("Test: no money moves")
        yield Words(middle, 132.5 * unit, 3.6 * unit, words, WARN, bold=True)
