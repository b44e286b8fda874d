"""The QR payloads of a payment. Drawing takes milliseconds: never do it in a transaction."""

import base64

from django.conf import settings
from django.db.models import TextChoices

from core.qr import png


class QRFormat(TextChoices):
    DEEP_LINK = "deep_link"
    PNG = "png"


def qr_payload(payment_id: str, qr_format: QRFormat) -> str:
    """Return the app's deep link, or a PNG data URL that encodes the checkout URL."""
    if qr_format == QRFormat.DEEP_LINK:
        return f"{settings.APP_SCHEME}://pay/{payment_id}"
    image = base64.b64encode(png(f"{settings.BASE_URL}/checkout/{payment_id}")).decode()
    return f"data:image/png;base64,{image}"
