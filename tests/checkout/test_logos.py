"""Logos: read once through the guard, drawn anew, served from here."""

import io
import threading
import zlib
from base64 import b64encode
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from PIL import Image
from pypdf import PdfReader

from checkout.logos import (
    MAX_PNG_BYTES,
    RENEW_AFTER,
    RETRY,
    SIDE,
    NotAnImage,
    logo_png,
    read_due_logos,
)
from checkout.models import Logo
from core.clock import utc_now
from merchants.statuses import MerchantStatus
from tests.checkout.shopper import Shopper

HIDDEN = "<script>alert(document.domain)</script>"


def picture(form: str = "PNG", size: tuple[int, int] = (400, 200), mode: str = "RGB") -> bytes:
    out = io.BytesIO()
    Image.new(mode, size, 0x336699 if mode == "RGB" else 1).save(out, form)
    return out.getvalue()


class LogoHost(ThreadingHTTPServer):
    """A merchant's web server: what it answers, and how often it was asked."""

    content = picture()
    status = 200
    asked = 0


class LogoHandler(BaseHTTPRequestHandler):
    server: LogoHost

    def do_GET(self) -> None:
        self.server.asked += 1
        self.send_response(self.server.status)
        self.send_header("Location", "http://localhost:1/")
        self.end_headers()
        self.wfile.write(self.server.content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def shop() -> Iterator[LogoHost]:
    server = LogoHost(("127.0.0.1", 0), LogoHandler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def named(merchant, shop, settings):
    """A merchant that names a logo, where the service may ask this machine."""
    settings.DEVELOPMENT_MODE = settings.WEBHOOK_ALLOW_PRIVATE = True
    merchant.logo_url = f"http://localhost:{shop.server_port}/logo.png"
    merchant.save()
    return merchant


def test_a_page_shows_the_logo_from_here(named, shop, payment):
    assert read_due_logos(now=utc_now()) == 1
    shopper = Shopper()
    shopper.visit(payment.hosted_url)

    logo = Logo.objects.get(merchant=named)
    address = f"/checkout/logo/{named.id}-{logo.digest}.png"
    assert f'<img src="{address}" alt=""' in shopper.text
    assert named.logo_url not in shopper.text
    served = shopper.visit(address)
    assert served["Content-Type"] == "image/png"
    assert "immutable" in served["Cache-Control"]
    assert Image.open(io.BytesIO(served.content)).size == (SIDE, SIDE // 2)


@pytest.fixture
def unverified(named):
    """The merchant, before staff have seen its logo."""
    named.status = MerchantStatus.UNVERIFIED
    named.save()
    return named


@pytest.mark.parametrize("answer", [200, 404])
@pytest.mark.parametrize("status", [MerchantStatus.VERIFIED, MerchantStatus.SUSPENDED])
def test_a_host_does_not_change_what_staff_have_seen(named, shop, status, answer):
    """Who is verified with the logo of a shop, or none, would have that of a bank a week later."""
    shop.status = answer
    read_due_logos(now=utc_now())
    seen = Logo.objects.get().digest
    named.status = status
    named.save()
    shop.status, shop.content = 200, picture(size=(200, 200))

    assert read_due_logos(now=utc_now() + 2 * RENEW_AFTER) == 0
    assert (Logo.objects.get().digest, shop.asked) == (seen, 1)


def test_it_is_read_once_a_week_and_when_another_is_named(unverified, shop):
    named = unverified
    read_due_logos(now=utc_now())
    assert read_due_logos(now=utc_now()) == 0
    read_due_logos(now=utc_now() + RENEW_AFTER)
    assert shop.asked == 2
    named.logo_url += "?new"
    named.save()
    read_due_logos(now=utc_now())
    assert shop.asked == 3


def test_a_server_that_fails_keeps_the_picture_and_is_asked_again(unverified, shop, payment):
    named = unverified
    read_due_logos(now=utc_now())
    shop.status = 500
    read_due_logos(now=utc_now() + RENEW_AFTER)
    logo = Logo.objects.get(merchant=named)
    assert logo.fault == "Answered 500."
    assert logo.digest
    shop.status = 200
    assert read_due_logos(now=utc_now() + RENEW_AFTER + RETRY + timedelta(seconds=1)) == 1
    shopper = Shopper()
    shopper.visit(payment.hosted_url)
    assert "/checkout/logo/" in shopper.text


@pytest.mark.parametrize("status", [301, 302, 404])
def test_it_follows_no_redirect_and_shows_initials_instead(named, shop, payment, status):
    shop.status = status
    assert read_due_logos(now=utc_now()) == 0
    shopper = Shopper()
    shopper.visit(payment.hosted_url)

    assert "<img" not in shopper.text.partition("</section>")[0]
    assert Logo.objects.get().fault.startswith(f"Answered {status}")


def test_the_picture_of_another_address_is_not_kept(named, shop):
    read_due_logos(now=utc_now())
    shop.status = 404
    named.logo_url += "?new"
    named.save()
    read_due_logos(now=utc_now())

    logo = Logo.objects.get()
    assert (bytes(logo.png), logo.digest) == (b"", "")


def test_a_file_that_breaks_the_decoder_holds_up_no_other(named, shop):
    """An unfinished profile after the picture stopped the task, at each turn again."""
    shop.content = picture()[:-12] + _chunk(b"iCCP", b"k\0") + _chunk(b"IEND", b"")

    assert read_due_logos(now=utc_now()) == 0

    assert Logo.objects.get(merchant=named).fault == "That is no PNG, JPEG, WebP or GIF."


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "169.254.169.254", "[::1]", "10.0.0.1"])
def test_it_asks_no_address_of_the_inside(named, shop, settings, host):
    settings.WEBHOOK_ALLOW_PRIVATE = False
    named.logo_url = f"https://{host}:{shop.server_port}/logo.png"
    named.save()
    read_due_logos(now=utc_now())

    assert shop.asked == 0
    assert Logo.objects.get().fault


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP", "GIF"])
def test_it_draws_the_usual_formats(form):
    assert Image.open(io.BytesIO(logo_png(picture(form)))).format == "PNG"


def test_it_draws_noise_small_enough_or_not_at_all():
    noise = Image.effect_noise((600, 600), 90).convert("RGB")
    out = io.BytesIO()
    noise.save(out, "PNG")

    assert len(logo_png(out.getvalue())) <= MAX_PNG_BYTES


def _chunk(kind: bytes, data: bytes) -> bytes:
    return len(data).to_bytes(4) + kind + data + zlib.crc32(kind + data).to_bytes(4)


def bomb(width: int, height: int, *more: bytes) -> bytes:
    """A small file that says it is a large picture."""
    size = width.to_bytes(4) + height.to_bytes(4)
    head = _chunk(b"IHDR", size + b"\x08\x00\x00\x00\x00")
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        (head, *more, _chunk(b"IDAT", zlib.compress(b"\0" * 1_000)), _chunk(b"IEND", b""))
    )


UNPACKED = zlib.compress(b"\0" * 20_000_000, 9)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
        b"<!doctype html>",
        b"%!PS-Adobe-3.0 EPSF-3.0\n",
        picture()[:60],
        bomb(60_000, 60_000),
        bomb(50, 50, _chunk(b"iCCP", b"k\0\0" + UNPACKED)),
        bomb(50, 50, _chunk(b"zTXt", b"k\0\0" + UNPACKED)),
        b"GIF89a" + b"\xff" * 100,
    ],
)
def test_it_draws_nothing_of_what_is_no_picture(content):
    with pytest.raises(NotAnImage):
        logo_png(content)


@pytest.mark.parametrize("size", [(1, 8_001), (8_001, 1), (4_000, 2_501)])
def test_it_draws_nothing_of_a_huge_size(size):
    with pytest.raises(NotAnImage, match="too many pixels"):
        logo_png(bomb(*size))


def test_it_draws_the_largest_size():
    assert logo_png(picture(size=(8_000, 1_250))).startswith(b"\x89PNG")


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP", "GIF"])
def test_nothing_is_served_of_a_file_but_its_picture(form):
    """Where a photograph was taken, a page after the picture, a script around it: all is left out.

    The colour profile, into which anything fits, was written into the new file.
    """
    where = Image.Exif()
    where[0x8825] = {1: "N", 2: (25.0, 4.0, 39.0)}
    where[0x010E] = HIDDEN
    out = io.BytesIO()
    hidden = HIDDEN.encode()
    Image.new("RGB", (60, 40), 0x336699).save(
        out, form, exif=where, icc_profile=hidden, comment=hidden, xmp=hidden
    )

    drawn = logo_png(out.getvalue() + hidden)

    assert [kind for kind, _ in _chunks(drawn)] == [b"IHDR", b"IDAT", b"IEND"]
    assert HIDDEN.encode() not in drawn


def _chunks(png: bytes) -> list[tuple[bytes, bytes]]:
    found, at = [], 8
    while at < len(png):
        length = int.from_bytes(png[at : at + 4])
        found.append((png[at + 4 : at + 8], png[at + 8 : at + 8 + length]))
        at += 12 + length
    return found


def test_an_old_address_of_a_logo_is_gone(named, shop):
    read_due_logos(now=utc_now())

    assert Shopper().visit(f"/checkout/logo/{named.id}-0000000000000000.png").status_code == 404


def test_a_poster_bears_the_logo(named, payment_of):
    counter = payment_of(None, payment_mode="STATIC_PAY", expires_at=None)
    read_due_logos(now=utc_now())
    sheet = Shopper().visit(f"{counter.hosted_url}/poster-a5.svg").content.decode()
    paper = Shopper().visit(f"{counter.hosted_url}/poster-a5.pdf").content

    drawn = b64encode(bytes(Logo.objects.get().png)).decode()
    assert f'href="data:image/png;base64,{drawn}"' in sheet
    assert len(PdfReader(io.BytesIO(paper)).pages[0].images) == 1


def test_a_poster_without_a_logo_has_none(shop, payment_of):
    counter = payment_of(None, payment_mode="STATIC_PAY", expires_at=None)

    assert b"<image" not in Shopper().visit(f"{counter.hosted_url}/poster-a5.svg").content
