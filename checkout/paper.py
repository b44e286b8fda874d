"""PDFs in any script: fonts are embedded, reduced to the glyphs that are used.

fpdf2 orders runs by direction only. `Paper` orders them by embedding level (UAX #9, rule L2), so
that numbers inside Arabic text are placed correctly.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import cache
from importlib import resources
from itertools import groupby
from math import ceil
from pathlib import Path
from typing import Any

from fontTools.pens.svgPathPen import SVGPathPen
from fontTools.pens.transformPen import TransformPen
from fontTools.ttLib import TTFont
from fpdf import FPDF
from fpdf.bidi import BidiParagraph, auto_detect_base_direction
from fpdf.enums import TextDirection
from fpdf.fonts import TTFFont
from fpdf.line_break import Fragment, TextLine

from core.text import without_piles

SANS, UNWRITABLE = "sans", "?"
POINTS_PER_MM = 72 / 25.4
_SPACES = dict.fromkeys(map(ord, "\u2009\u202f\u3000"), "\u00a0")
_MARKS = frozenset({"Cc", "Cf"})
REACH = 0.15  # of a line's height: how far letters may reach into the space above and below
LONG = 24  # words with more letters are measured letter by letter


class VisualLine(TextLine):
    """A line whose fragments are drawn in visual order."""

    def get_ordered_fragments(self) -> list[Fragment]:
        return in_visual_order(self.fragments)


class Paper(FPDF):
    """A PDF in millimetres that adds the font of a script when a text first needs it."""

    def __init__(self, width: float, height: float, *, title: str, made_at: datetime) -> None:
        super().__init__(unit="mm", format=(width, height))
        self._widths: dict[tuple[str, float, str], float] = {}
        self._whole = ""  # the whole text of the line being written
        self.set_text_shaping(True)
        self.add_font(SANS, "", regular_font())
        self.add_font(SANS, "B", bold_font())
        self._letters = set(letters_of(regular_font()))
        self._others: list[Path] = []
        self.set_title(title)
        self.set_creation_date(made_at)

    def write_with(self, points: float, color: str, *, bold: bool = False) -> None:
        """Set the size, colour and weight of the text that follows."""
        self.set_font(SANS, "B" if bold else "", points)
        self.set_text_color(color)

    def lines(self, text: str, *, height: float) -> None:
        """Write a text in lines of this height, and continue below it at the left margin."""
        for line in self.wrapped(text, self.w - self.r_margin - self.x):
            self.line_of(text, line, width=0, height=height)
            self.ln(height)

    def line_of(
        self, whole: str, line: str, *, width: float, height: float, align: str = "L"
    ) -> None:
        """Write one line of a text, in the direction of the whole text.

        What sticks out, as marks piled up on a letter do, is not drawn over the lines around it.
        No-break spaces become plain ones, for text that is copied from the PDF.
        """
        self._perform_page_break_if_need_be(height)
        room = height * REACH
        self._whole = whole
        with (
            self.local_context(),  # which fpdf2 needs to know that the font ends with the clipping
            self.rect_clip(x=0, y=self.y - room, w=self.w, h=height + 2 * room),
        ):
            self.cell(width, height, line.replace("\u00a0", " "), align=align)
        self._whole = ""

    def wrapped(self, text: str, width: float) -> list[str]:
        """Wrap a text to a column: at spaces, or inside a word that is wider than a line.

        fpdf2 reshapes the line with every letter, which would take a minute for a long receipt.
        Here each word is shaped once.
        """
        room, parts = width - 2 * self.c_margin, text.replace("\r", "").split("\n")
        return [line for part in parts for line in self._broken(part, room)]

    def _broken(self, text: str, room: float) -> Iterator[str]:
        line, width = "", 0.0
        for joint, word in self._words(text, room):
            more = self._width_of(joint) + self._width_of(word)
            if line and width + more > room:
                yield line
                line, width = word, self._width_of(word)
            else:
                line, width = f"{line}{joint}{word}", width + more
        yield line

    def _words(self, text: str, room: float) -> Iterator[tuple[str, str]]:
        """Yield (space before, word) pairs; a word that is too wide comes in parts."""
        joint = ""
        for word in text.split(" "):
            for part in self._parts(word, room):
                yield joint, part
                joint = ""
            joint = " "

    def _parts(self, word: str, room: float) -> Iterator[str]:
        """Yield a word in as few parts as fit, each about as wide as the others."""
        whole = self._width_of(word)
        if whole <= room:
            yield word
            return
        share = whole / ceil(whole / room)
        part, width = "", 0.0
        for letter in word:
            more = self._width_of(letter)
            if part and (width >= share or width + more > room):
                yield part
                part, width = "", 0.0
            part, width = part + letter, width + more
        yield part

    def _width_of(self, text: str) -> float:
        key = (self.font_style, self.font_size_pt, text)
        if key not in self._widths:
            is_long = len(text) > LONG
            width = sum(map(self._width_of, text)) if is_long else self.get_string_width(text)
            self._widths[key] = width
        return self._widths[key]

    def outlines(self, text: str, *, x: float, y: float, size: float) -> str:
        """Return the outlines of a text as an SVG path, in the current font.

        It starts at `x` on the baseline `y`; `size` is the font size in millimetres.
        """
        parts = self._preload_bidirectional_text(self.normalize_text(text), markdown=False)
        path = []
        for part in in_visual_order(parts):
            assert isinstance(part.font, TTFFont)  # noqa: S101  # all of ours are
            path.append(_outlines_of(part, part.font, x, y, size))
            x += part.get_width()
        return "".join(path)

    def normalize_text(self, text: str) -> str:
        """Add the fonts that a text needs before it is measured or written."""
        text = without_piles(text).translate(_SPACES)
        self._take_in({ord(letter) for letter in text} - self._letters)
        return "".join(letter if self._can_write(letter) else UNWRITABLE for letter in text)

    def _preload_bidirectional_text(self, text: str, markdown: bool) -> tuple[Fragment, ...]:
        """Split a text where its embedding level changes, and each part where its font does."""
        shaping: dict[str, Any] = self.text_shaping or {}
        base = auto_detect_base_direction(self._whole or text)
        letters = BidiParagraph(text=text, base_direction=base, preserve_bn_chars=True).characters
        parts: list[Fragment] = []
        for level, found in groupby(letters, key=lambda letter: letter.embedding_level):
            shaping["paragraph_direction"], shaping["level"] = base, level
            shaping["fragment_direction"] = TextDirection.RTL if level % 2 else TextDirection.LTR
            together = "".join(letter.character for letter in found)
            parts.extend(self._preload_font_styles(together, markdown))
        return tuple(parts)

    def _render_styled_text_line(self, text_line: TextLine, *args: Any, **kwargs: Any) -> bool:
        return super()._render_styled_text_line(VisualLine(*text_line), *args, **kwargs)

    def _can_write(self, letter: str) -> bool:
        return ord(letter) in self._letters or unicodedata.category(letter) in _MARKS

    def _take_in(self, missing: set[int]) -> None:
        for font in other_fonts() if missing else ():
            if font not in self._others and missing & letters_of(font):
                self.add_font(font.stem, "", font)
                self._others.append(font)
                self._letters |= letters_of(font)
                missing -= letters_of(font)
        self.set_fallback_fonts([font.stem for font in self._others], exact_match=False)


def cut(text: str, most: int) -> str:
    """Truncate a text to this many letters, with an ellipsis."""
    return text if len(text) <= most else f"{text[:most].rstrip()}…"


def in_visual_order(parts: Iterable[Fragment]) -> list[Fragment]:
    """Return the fragments of a line from left to right."""
    ordered = list(parts)
    for level in range(max(map(_level_of, ordered), default=0), 0, -1):
        ordered = _turned(ordered, level)
    return ordered


def _turned(parts: list[Fragment], level: int) -> list[Fragment]:
    """Reverse each run of fragments at this level or above."""
    runs = groupby(parts, key=lambda part: _level_of(part) >= level)
    return [part for turns, run in runs for part in list(run)[:: -1 if turns else 1]]


def _level_of(part: Fragment) -> int:
    return int((part.text_shaping_parameters or {}).get("level", 0))


def _outlines_of(part: Fragment, font: TTFFont, x: float, y: float, size: float) -> str:
    glyphs = font.ttfont.getGlyphSet()
    scale, unit = size / font.ttfont["head"].unitsPerEm, size / 1000
    pen = SVGPathPen(glyphs, ntos=_short)
    shaped = font.perform_harfbuzz_shaping(
        part.string, part.font_size_pt, part.text_shaping_parameters
    )
    for glyph, place in zip(*shaped, strict=True):
        at = (x + place.x_offset * unit, y - place.y_offset * unit)
        placed = TransformPen(pen, (scale, 0, 0, -scale, *at))
        glyphs[font.ttfont.getGlyphName(glyph.codepoint)].draw(placed)
        x += place.x_advance * unit
    return str(pen.getCommands())


def _short(number: float) -> str:
    return f"{number:.3f}".rstrip("0").rstrip(".")


@cache
def letters_of(font: Path) -> frozenset[int]:
    """Return the code points that a font has glyphs for."""
    with TTFont(font, lazy=True) as face:
        return frozenset(face.getBestCmap())


@cache
def regular_font() -> Path:
    """Return the font for Latin, Greek and Cyrillic."""
    return _folder("fontpkg_fira_sans") / "files" / "FiraSans-Regular.ttf"


@cache
def bold_font() -> Path:
    """Return the bold font for Latin, Greek and Cyrillic."""
    return _folder("fontpkg_fira_sans") / "files" / "FiraSans-Bold.ttf"


@cache
def other_fonts() -> tuple[Path, ...]:
    """Return the fonts for other scripts and emoji; the largest one, for Chinese, comes last."""
    small = sorted(_folder("manimgx_fonts").glob("Noto*[[]wght].ttf"))
    return (*small, *_folder("noto_cjk_sans_jp_regular").glob("*.otf"))


def _folder(package: str) -> Path:
    return Path(str(resources.files(package)))
