"""QR codes as images. Drawing takes milliseconds: never inside a transaction."""

import io

import qrcode
import qrcode.image.svg
from qrcode.constants import ERROR_CORRECT_M, ERROR_CORRECT_Q


def png(text: str, *, box_size: int = 8) -> bytes:
    """Draw a text as a QR code in PNG, four modules of quiet zone, medium error correction."""
    code = qrcode.QRCode(error_correction=ERROR_CORRECT_M, box_size=box_size, border=4)
    code.add_data(text)
    buffer = io.BytesIO()
    code.make_image().save(buffer, format="PNG")
    return buffer.getvalue()


def svg(text: str) -> bytes:
    """Draw a text as a QR code in SVG, one path that scales to any size."""
    code = qrcode.QRCode(error_correction=ERROR_CORRECT_M, border=4)
    code.add_data(text)
    buffer = io.BytesIO()
    code.make_image(image_factory=qrcode.image.svg.SvgPathImage).save(buffer)
    return buffer.getvalue()


def modules(text: str) -> list[list[bool]]:
    """Lay a text out as rows of dark and light, without the quiet zone, for printing."""
    code = qrcode.QRCode(error_correction=ERROR_CORRECT_Q, border=0)
    code.add_data(text)
    code.make()
    rows: list[list[bool]] = code.get_matrix()
    return rows
