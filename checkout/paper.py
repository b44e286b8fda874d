"""PDFs in any script: each font is embedded, with no more of its letters than are used."""

import unicodedata
from datetime import datetime
from functools import cache
from importlib import resources
from pathlib import Path

from fontTools.ttLib import TTFont
from fpdf import FPDF

SANS, UNWRITABLE = "sans", "?"
POINTS_PER_MM = 72 / 25.4
_SPACES = dict.fromkeys(map(ord, "\u2009\u202f\u3000"), "\u00a0")
_MARKS = frozenset({"Cc", "Cf"})


class Paper(FPDF):
    """A PDF in millimetres, which takes in the font of a script once a text needs it."""

    def __init__(self, width: float, height: float, *, title: str, made_at: datetime) -> None:
        super().__init__(unit="mm", format=(width, height))
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

    def lines(self, text: str, *, height: float, width: float = 0, align: str = "L") -> None:
        """Write a text in lines of a height, and go on below it at the left margin."""
        self.multi_cell(width, height, text, align=align, new_x="LMARGIN", new_y="NEXT")

    def normalize_text(self, text: str) -> str:
        """Take in the fonts of a text that is about to be measured or written."""
        text = text.translate(_SPACES)
        self._take_in({ord(letter) for letter in text} - self._letters)
        return "".join(letter if self._can_write(letter) else UNWRITABLE for letter in text)

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
