"""The QR forms of a payment. Drawing takes milliseconds: never inside a transaction."""

import base64
import io

import qrcode
import qrcode.image.svg
from django.conf import settings
from django.db.models import TextChoices
from qrcode.constants import ERROR_CORRECT_M


class QRFormat(TextChoices):
    DEEP_LINK = "deep_link"
    PNG = "png"


def qr_payload(payment_id: str, qr_format: QRFormat) -> str:
    """Return the deep link of the app, or a PNG data URL that encodes the checkout address."""
    if qr_format == QRFormat.DEEP_LINK:
        return f"{settings.APP_SCHEME}://pay/{payment_id}"
    image = base64.b64encode(png(f"{settings.BASE_URL}/checkout/{payment_id}")).decode()
    return f"data:image/png;base64,{image}"


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
