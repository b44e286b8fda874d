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


def bold_text_of(pdf: bytes) -> str:
    """Return what a PDF of ours sets in bold."""
    bold: list[str] = []

    def keep(text: str, _user: Any, _place: Any, font: Any, _size: float) -> None:
        if font and font["/BaseFont"].endswith("Bold"):
            bold.append(text)

    for page in PdfReader(BytesIO(pdf)).pages:
        page.extract_text(visitor_text=keep)
    return "".join(bold)


def bands_of(pdf: bytes) -> list[tuple[float, float, float]]:
    """Return (bottom, top, baseline) in points of each line on the only page: where it may draw.

    A text that nothing clips may draw anywhere.
    """
    [page] = PdfReader(BytesIO(pdf)).pages
    bands: list[tuple[float, float, float]] = []
    bottom, top = 0.0, float(page.mediabox.height)
    contents: Any = page.get_contents()
    for operands, operator in contents.operations:
        if operator == b"re":
            bottom, top = float(operands[1]), float(operands[1]) + float(operands[3])
        elif operator == b"Td":
            bands.append((bottom, top, float(operands[1])))
            bottom, top = 0.0, float(page.mediabox.height)
    return bands
