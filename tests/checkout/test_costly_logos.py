"""Pictures that take long to draw, however small the file is."""

import io

import pytest
from PIL import Image

from checkout.logos import NotAnImage, logo_png

GREY = bytes((1, 1, 0x11, 0))  # one component, with the first table of quantization


def _segment(marker: int, *data: bytes) -> bytes:
    length = 2 + sum(map(len, data))
    return bytes((0xFF, marker)) + length.to_bytes(2) + b"".join(data)


def progressive_jpeg(side: int, scans: int) -> bytes:
    """A JPEG whose scans each go over the whole picture, and change none of it."""
    size = b"\x08" + side.to_bytes(2) * 2
    # One code, which leaves 16,384 blocks or more as they are.
    no_more_blocks = b"\x10" + bytes((1, *[0] * 15)) + b"\xe0"
    scan = _segment(0xDA, bytes((1, 1, 0, 1, 63, 0x10))) + b"\x00\x00" * 4
    tables = _segment(0xDB, b"\0" + b"\1" * 64), _segment(0xC2, size + GREY)
    return b"\xff\xd8%b%b%b\xff\xd9" % (
        b"".join(tables),
        _segment(0xC4, no_more_blocks),
        scan * scans,
    )


def test_it_draws_a_jpeg_that_encoders_would_write():
    assert logo_png(progressive_jpeg(200, 100)).startswith(b"\x89PNG")


def test_it_draws_no_jpeg_of_a_thousand_scans():
    """A file of 32 kB kept a worker busy for 12 seconds, again with each URL of the logo."""
    with pytest.raises(NotAnImage, match="too many scans"):
        logo_png(progressive_jpeg(200, 1_000))


def test_it_draws_no_jpeg_of_many_scans_and_several_pictures():
    """Such a file has a class of its own."""
    picture, out = Image.new("L", (60, 40)), io.BytesIO()
    picture.save(out, "MPO", save_all=True, append_images=[picture])
    assert logo_png(out.getvalue())

    with pytest.raises(NotAnImage, match="too many scans"):
        logo_png(out.getvalue() + b"\xff\xda" * 100)
