"""QR codes as images. Drawing takes milliseconds: never inside a transaction.

The libraries, 5 MB with that for PNG, are loaded by the first code that a process draws.
"""

import io
from typing import Any


def png(text: str, *, box_size: int = 8) -> bytes:
    """Draw a text as a QR code in PNG, four modules of quiet zone, medium error correction."""
    code = _code(text, box_size=box_size)
    buffer = io.BytesIO()
    code.make_image().save(buffer, format="PNG")
    return buffer.getvalue()


def svg(text: str) -> bytes:
    """Draw a text as a QR code in SVG, one path that scales to any size."""
    from qrcode.image.svg import SvgPathImage

    buffer = io.BytesIO()
    _code(text).make_image(image_factory=SvgPathImage).save(buffer)
    return buffer.getvalue()


def modules(text: str) -> list[list[bool]]:
    """Lay a text out as rows of dark and light, without the quiet zone, for printing."""
    from qrcode.constants import ERROR_CORRECT_Q

    code = _code(text, error_correction=ERROR_CORRECT_Q, border=0)
    code.make()
    rows: list[list[bool]] = code.get_matrix()
    return rows


def _code(text: str, **options: int) -> Any:
    """Return a code of the library: four modules of quiet zone, medium error correction."""
    from qrcode.constants import ERROR_CORRECT_M
    from qrcode.main import QRCode

    code = QRCode(**{"error_correction": ERROR_CORRECT_M, "border": 4} | options)
    code.add_data(text)
    return code
