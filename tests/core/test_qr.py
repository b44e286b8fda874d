"""QR codes as pictures, beside those that the library draws."""

import io

import pytest
from PIL import Image
from qrcode.constants import ERROR_CORRECT_M
from qrcode.main import QRCode

from core.qr import png


@pytest.mark.parametrize(
    "text", ["payments://pay/pay_1", "https://pay.example.com/checkout/" + "x" * 30, "x" * 700]
)
def test_each_pixel_is_as_the_library_draws_it(text: str) -> None:
    library = QRCode(error_correction=ERROR_CORRECT_M, box_size=8, border=4)
    library.add_data(text)
    drawn = io.BytesIO()
    library.make_image().save(drawn, format="PNG")
    drawn.seek(0)

    ours = Image.open(io.BytesIO(png(text)))

    assert (ours.format, ours.mode) == ("PNG", "1")
    assert ours.size == Image.open(drawn).size
    assert ours.tobytes() == Image.open(drawn).convert("1").tobytes()
