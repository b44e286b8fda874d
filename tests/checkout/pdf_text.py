"""Read what a PDF of ours says, and with which fonts."""

from io import BytesIO
from typing import Any

from pypdf import PdfReader


def text_of(pdf: bytes) -> str:
    """Return the lines of text that a PDF of ours draws, without the bare glyphs of marks."""
    text = "\n".join(page.extract_text() for page in PdfReader(BytesIO(pdf)).pages)
    return "".join(letter for letter in text if letter == "\n" or letter.isprintable())


def fonts_of(pdf: bytes) -> set[str]:
    """Return the fonts that a PDF carries, without the mark of a subset."""
    fonts = set()
    for page in PdfReader(BytesIO(pdf)).pages:
        used: Any = page["/Resources"]
        for font in used["/Font"].values():
            assert {"/FontFile2", "/FontFile3"} & set(
                font["/DescendantFonts"][0]["/FontDescriptor"]
            )
            fonts.add(font["/BaseFont"].partition("+")[2])
    return fonts
