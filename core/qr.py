"""QR codes as images. Drawing takes milliseconds: never inside a transaction.

The library is imported when a process draws its first code; it imports Pillow (4 MB) too, unless
`config.wsgi` has hidden that.
"""

import io
import struct
import zlib
from typing import Any

PIXELS = 8  # of a module, in PNG: a row of them is whole bytes


def png(text: str) -> bytes:
    """Draw a text as a QR code in PNG, four modules of quiet zone, medium error correction.

    Each pixel is a bit, which needs no Pillow.
    """
    code = _code(text)
    code.make()
    modules = code.get_matrix()
    lines = (bytes(0x00 if dark else 0xFF for dark in row) for row in modules)
    pixels = b"".join((b"\x00" + line) * PIXELS for line in lines)  # each line as it is
    size = len(modules) * PIXELS
    header = struct.pack(">IIBBBBB", size, size, 1, 0, 0, 0, 0)  # one bit, black or white
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(pixels, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*part) for part in parts)


def _chunk(kind: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)


def svg(text: str) -> bytes:
    """Draw a text as a QR code in SVG, one path that scales to any size."""
    from qrcode.image.svg import SvgPathImage

    buffer = io.BytesIO()
    _code(text).make_image(image_factory=SvgPathImage).save(buffer)
    return buffer.getvalue()


def modules(text: str) -> list[list[bool]]:
    """Return the code as rows of dark and light modules, without the quiet zone, for printing."""
    from qrcode.constants import ERROR_CORRECT_Q

    code = _code(text, error_correction=ERROR_CORRECT_Q, border=0)
    code.make()
    rows: list[list[bool]] = code.get_matrix()
    return rows


def _code(text: str, **options: int) -> Any:
    """Return the library's QR code, by default with four quiet modules and medium correction."""
    from qrcode.constants import ERROR_CORRECT_M
    from qrcode.main import QRCode

    code = QRCode(**{"error_correction": ERROR_CORRECT_M, "border": 4} | options)
    code.add_data(text)
    return code
