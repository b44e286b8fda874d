"""QR codes, posters and brand colours."""

import io
import re
from dataclasses import replace

import pytest
from django.test import Client
from fontTools.pens.boundsPen import ControlBoundsPen
from fontTools.svgLib.path import parse_path
from PIL import Image

from checkout.branding import DARK, LIGHT, contrast, ink_on, normal_color, stylesheet
from checkout.paper import Paper
from checkout.shapes import UNDATED, Words, fitted
from tests.checkout.pdf_text import fonts_of, text_of
from tests.checkout.shopper import Shopper


@pytest.mark.parametrize("form", ["png", "svg"])
def test_a_qr_code_may_be_kept_for_ever_and_shown_anywhere(payment, form):
    response = Shopper().visit(f"{payment.hosted_url}/qr.{form}")

    assert response.status_code == 200
    assert response["Cache-Control"] == "public, max-age=31536000, immutable"
    assert response["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert response["Content-Type"].startswith("image/")
    assert "Set-Cookie" not in response.headers


@pytest.mark.parametrize("form", ["png", "svg"])
def test_a_qr_code_that_the_browser_has_is_not_sent_again(payment, form):
    path = f"{payment.hosted_url}/qr.{form}"
    etag = Client().get(path)["ETag"]
    again = Client().get(path, headers={"If-None-Match": etag})
    other = Client().get(path, headers={"If-None-Match": '"0123456789abcdef"'})

    assert (again.status_code, again.content) == (304, b"")
    assert again["Cache-Control"] == "public, max-age=31536000, immutable"
    assert (other.status_code, other["ETag"]) == (200, etag)


def test_each_payment_has_a_code_of_its_own(payment_of):
    paths = [f"{payment_of(150).hosted_url}/qr.svg" for _ in range(2)]
    first, second, first_again = (Client().get(path).content for path in (*paths, paths[0]))

    assert first == first_again != second


def test_the_qr_code_is_a_picture(payment):
    response = Shopper().visit(f"{payment.hosted_url}/qr.png")

    image = Image.open(io.BytesIO(response.content))
    assert image.size[0] == image.size[1] > 200


@pytest.mark.parametrize("size", ["a4", "a5", "card"])
@pytest.mark.parametrize(("form", "start"), [("pdf", b"%PDF-"), ("svg", b"<svg ")])
def test_a_counter_has_posters(payment_of, merchant, size, form, start):
    merchant.name = "Conch & <Co>"
    merchant.brand_color = "#FFD400"
    merchant.save()
    counter = payment_of(None, payment_mode="STATIC_PAY", expires_at=None, description="Bar")
    response = Shopper().visit(f"{counter.hosted_url}/poster-{size}.{form}")

    assert response.status_code == 200
    assert response.content.startswith(start)
    if form == "svg":
        assert b"Conch &amp; &lt;Co&gt;" in response.content
        assert b"Open your camera, scan, enter the amount" in response.content


def test_a_poster_speaks_the_language_asked_for_and_names_a_fixed_amount(payment_of):
    counter = payment_of(500, payment_mode="STATIC_PAY", expires_at=None, livemode=True)
    poster = Shopper().visit(f"{counter.hosted_url}/poster-a4.svg?lang=fr").content.decode()

    assert "Scannez pour payer" in poster
    assert "5,00\u00a0B$" in poster
    assert "Test" not in poster


@pytest.mark.parametrize("path", ["poster-a3.pdf", "poster-.pdf", "poster-a4.png"])
def test_there_is_no_other_paper(payment_of, path):
    counter = payment_of(None, payment_mode="STATIC_PAY", expires_at=None)

    assert Shopper().visit(f"{counter.hosted_url}/{path}").status_code == 404


def test_a_poster_is_drawn_anew_when_what_it_says_has_changed(payment_of, merchant):
    counter = payment_of(None, payment_mode="STATIC_PAY", expires_at=None)
    path = f"{counter.hosted_url}/poster-a4.svg"
    before = Client().get(path)
    same = Client().get(path, headers={"If-None-Match": before["ETag"]})
    merchant.name = "Another name"
    merchant.save()
    after = Client().get(path, headers={"If-None-Match": before["ETag"]})

    assert same.status_code == 304
    assert b"Another name" not in before.content
    assert (after.status_code, b"Another name" in after.content) == (200, True)


def test_a_single_payment_has_no_poster(payment):
    assert Shopper().visit(f"{payment.hosted_url}/poster-a4.pdf").status_code == 404


def test_a_long_name_still_fits():
    paper = Paper(100, 100, title="", made_at=UNDATED)
    short = Words(0, 0, 10, "Conch", "#000000", room=100)
    long = replace(short, text="Conch " * 30)

    assert fitted(short, paper) == short
    assert fitted(long, paper).text == long.text
    assert fitted(long, paper).size < 3


def test_what_would_be_too_small_to_read_is_cut(payment_of, merchant):
    merchant.name = "W" * 90
    merchant.save()
    counter = payment_of(None, payment_mode="STATIC_PAY", expires_at=None, description="d " * 249)
    sheet = Shopper().visit(f"{counter.hosted_url}/poster-a4.svg").content.decode()

    (name, name_drawn), (description, description_drawn), *_ = outlines_of(sheet)
    assert re.fullmatch("W+…", name)
    assert re.fullmatch("(d )+d…", description)
    for left, top, right, bottom in (name_drawn, description_drawn):
        assert (bottom - top) > 3.5
        assert 0 < left < 30
        assert 180 < right < 210


def outlines_of(sheet: str) -> list[tuple[str, tuple[float, float, float, float]]]:
    """Return each line of a poster, and the box in millimetres that its letters fill."""
    found = []
    for label, path in re.findall(r'<path aria-label="([^"]*)"[^>]* d="([^"]*)"', sheet):
        pen = ControlBoundsPen(None)
        parse_path(path, pen)
        found.append((label, pen.bounds))
    return found


def test_a_poster_as_svg_needs_no_fonts_where_it_is_printed(payment_of, merchant):
    merchant.name = "Conch مخبز 中"
    merchant.save()
    counter = payment_of(None, payment_mode="STATIC_PAY", expires_at=None)
    sheet = Shopper().visit(f"{counter.hosted_url}/poster-a5.svg").content.decode()

    assert "font" not in sheet
    assert "<text" not in sheet
    name, (left, top, right, bottom) = outlines_of(sheet)[0]
    assert name == merchant.name
    assert abs((left + right) / 2 - 74) < 1
    assert 0 < top < bottom < 50


@pytest.mark.parametrize(
    ("name", "drawn"),
    [
        ("مخبز النور 24", "24 النور مخبز"),
        ("Café مخبز النور 24 Bar", "Café 24 النور مخبز Bar"),
        ("Café 24 مخبز", "Café 24 مخبز"),
        ("מאפה 24 Bar", "Bar 24 מאפה"),
    ],
)
def test_a_poster_bears_a_name_from_right_to_left(payment_of, merchant, name, drawn):
    """What is drawn is read here from the left; a number stands where its words lead."""
    merchant.name = name
    merchant.save()
    counter = payment_of(None, payment_mode="STATIC_PAY", expires_at=None)
    poster = Shopper().visit(f"{counter.hosted_url}/poster-a5.pdf").content

    assert {"NotoSansArabic", "NotoSansHebrewLight"} & fonts_of(poster)
    assert drawn in text_of(poster)


def colors_of(sheet: str) -> list[dict[str, tuple[int, int, int]]]:
    """Return the properties of light and of dark."""
    found = []
    for block in sheet.split(":root{")[1:]:
        pairs = (pair.split(":") for pair in block.split("}")[0].split(";"))
        found.append({name: _rgb(value) for name, value in pairs})
    return found


def _rgb(value: str) -> tuple[int, int, int]:
    return int(value[1:3], 16), int(value[3:5], 16), int(value[5:7], 16)


@pytest.mark.parametrize(
    "color", ["000000", "ffffff", "ffd400", "ff0000", "777777", "8b1e3f", "0b1417"]
)
def test_whatever_the_colour_the_page_stays_readable(color):
    for scheme, found in zip((LIGHT, DARK), colors_of(stylesheet(color)), strict=True):
        assert contrast(found["--brand-ink"], found["--brand"]) >= 4.5
        for ground in (scheme.page, scheme.paper):
            assert contrast(found["--brand-text"], ground) >= 4.5
            assert contrast(found["--brand-edge"], ground) >= 3


def test_a_colour_is_six_digits_or_none():
    assert normal_color("#FFD400") == "ffd400"
    assert normal_color("red") == normal_color("#fff") == normal_color("}body{") == ""
    assert (ink_on("ffffff"), ink_on("000000")) == ("#000000", "#ffffff")


@pytest.mark.parametrize("color", ["FFD400", "red", "ffd40", "ffd4000"])
def test_a_colour_has_one_address(db, color):
    assert Shopper().visit(f"/checkout/brand/{color}.css").status_code == 404


def test_a_page_wears_the_colour_of_its_merchant(payment, merchant):
    merchant.brand_color = "#FFD400"
    merchant.save()
    shopper = Shopper()
    shopper.visit(payment.hosted_url)
    assert '<link rel="stylesheet" href="/checkout/brand/ffd400.css">' in shopper.text

    sheet = shopper.visit("/checkout/brand/ffd400.css")
    assert sheet["Content-Type"] == "text/css; charset=utf-8"
    assert "--brand:#ffd400" in sheet.content.decode()
