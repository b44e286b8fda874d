"""PDFs in any script: each font is embedded, with no more of its letters than are used.

fpdf2 orders runs by direction only. `Paper` orders them by embedding level (UAX #9, rule L2), so
that numbers inside Arabic text are placed correctly.
"""

import unicodedata
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import cache
from importlib import resources
from itertools import groupby
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

SANS, UNWRITABLE = "sans", "?"
POINTS_PER_MM = 72 / 25.4
_SPACES = dict.fromkeys(map(ord, "\u2009\u202f\u3000"), "\u00a0")
_MARKS = frozenset({"Cc", "Cf"})
LONG = 24  # letters without a space: measured one by one


class VisualLine(TextLine):
    """A line whose parts are drawn from left to right in the order in which they stand there."""

    def get_ordered_fragments(self) -> list[Fragment]:
        return in_visual_order(self.fragments)


class Paper(FPDF):
    """A PDF in millimetres, which takes in the font of a script once a text needs it."""

    def __init__(self, width: float, height: float, *, title: str, made_at: datetime) -> None:
        super().__init__(unit="mm", format=(width, height))
        self._widths: dict[tuple[str, float, str], float] = {}
        self._whole = ""  # the text that is written line by line
        self.set_text_shaping(True)
        self.add_font(SANS, "", regular_font())
        self.add_font(SANS, "B", bold_font())
        self._letters = set(letters_of(regular_font()))
        self._others: list[Path] = []
        self.set_title(title)
        self.set_creation_date(made_at)

    def write_with(self, points: float, color: str, *, bold: bool = False) -> None:
        """Write what follows in this size, colour and weight."""
        self.set_font(SANS, "B" if bold else "", points)
        self.set_text_color(color)

    def lines(self, text: str, *, height: float) -> None:
        """Write a text in lines of a height, and go on below it at the left margin."""
        for line in self.wrapped(text, self.w - self.r_margin - self.x):
            self.line_of(text, line, width=0, height=height)
            self.ln(height)

    def line_of(
        self, whole: str, line: str, *, width: float, height: float, align: str = "L"
    ) -> None:
        """Write a line of a text, which reads in the direction of the whole.

        Its spaces are plain ones by now, for who copies it.
        """
        self._whole = whole
        self.cell(width, height, line.replace("\u00a0", " "), align=align)
        self._whole = ""

    def wrapped(self, text: str, width: float) -> list[str]:
        """Break a text into lines for a column: at spaces, or where a word has no room in one.

        fpdf2 shapes the line anew with every letter: a long receipt would take a minute. Here each
        word is shaped once.
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
        """Yield each word, or the parts of one that is too wide, and the space before it."""
        joint = ""
        for word in text.split(" "):
            for part in self._parts(word, room):
                yield joint, part
                joint = ""
            joint = " "

    def _parts(self, word: str, room: float) -> Iterator[str]:
        if self._width_of(word) <= room:
            yield word
            return
        part, width = "", 0.0
        for letter in word:
            more = self._width_of(letter)
            if part and width + more > room:
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
        """Return the outlines of a text as an SVG path; the font is the one last set.

        It begins at `x` on the line `y`; `size` is the height of the type in millimetres.
        """
        parts = self._preload_bidirectional_text(self.normalize_text(text), markdown=False)
        path = []
        for part in in_visual_order(parts):
            assert isinstance(part.font, TTFFont)  # noqa: S101  # all of ours are
            path.append(_outlines_of(part, part.font, x, y, size))
            x += part.get_width()
        return "".join(path)

    def normalize_text(self, text: str) -> str:
        """Take in the fonts of a text that is about to be measured or written."""
        text = text.translate(_SPACES)
        self._take_in({ord(letter) for letter in text} - self._letters)
        return "".join(letter if self._can_write(letter) else UNWRITABLE for letter in text)

    def _preload_bidirectional_text(self, text: str, markdown: bool) -> tuple[Fragment, ...]:
        """Break a text where its level changes, and each part where its font does."""
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
    """Return so many letters of a text, with a mark where it goes on."""
    return text if len(text) <= most else f"{text[:most].rstrip()}…"


def in_visual_order(parts: Iterable[Fragment]) -> list[Fragment]:
    """Return the parts of a line from left to right."""
    ordered = list(parts)
    for level in range(max(map(_level_of, ordered), default=0), 0, -1):
        ordered = _turned(ordered, level)
    return ordered


def _turned(parts: list[Fragment], level: int) -> list[Fragment]:
    """Reverse each run of parts that are of this level or above."""
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
    """Return the code points that a font has letters for."""
    with TTFont(font, lazy=True) as face:
        return frozenset(face.getBestCmap())


@cache
def regular_font() -> Path:
    """Return the font of Latin, Greek and Cyrillic."""
    return _folder("fontpkg_fira_sans") / "files" / "FiraSans-Regular.ttf"


@cache
def bold_font() -> Path:
    """Return its bold."""
    return _folder("fontpkg_fira_sans") / "files" / "FiraSans-Bold.ttf"


@cache
def other_fonts() -> tuple[Path, ...]:
    """Return the fonts of other scripts and of emoji; last the largest one, of Chinese."""
    small = sorted(_folder("manimgx_fonts").glob("Noto*[[]wght].ttf"))
    return (*small, *_folder("noto_cjk_sans_jp_regular").glob("*.otf"))


def _folder(package: str) -> Path:
    """Return where a package of fonts lies."""
    return Path(str(resources.files(package)))
