"""`manage.py preview`: each screen of the checkout in each language, and all on one page."""

import re

import pytest
from django.test import Client

from sandbox.screens import SCREENS

pytestmark = pytest.mark.urls("config.local.previews")
LEFT_OPEN = re.compile(r"%\(\w+\)|\{\{|\{%")


@pytest.mark.parametrize("language", ["en", "es", "fr", "ht"])
def test_it_shows_every_screen_in_a_language(language):
    for name in SCREENS:
        answer = Client().get(f"/preview/{name}", {"lang": language})
        html = answer.content.decode()

        assert answer.status_code == 200, name
        assert f'<html lang="{language}">' in html
        assert not LEFT_OPEN.search(html), name
        assert not re.search(r"\.\.(?!\.)", html), name


@pytest.mark.parametrize("language", ["en", "es", "fr", "ht"])
def test_the_wallet_says_whom_to_write_to(language):
    """Where there is such an address: translators and the tests of looks saw no wallet with one."""
    page = Client().get("/preview/account", {"lang": language})

    assert '<a href="mailto:help@payments.example">help@payments.example</a>' in page.text


def test_the_sheet_frames_every_screen_in_its_language():
    html = Client().get("/preview", {"lang": "ht", "width": "390"}).content.decode()

    assert re.findall(r'src="/preview/([a-z-]+)\?lang=ht"', html) == list(SCREENS)
    assert "width: 390px" in html


def test_the_sheet_keeps_the_screens_that_are_named_so():
    html = Client().get("/preview", {"of": "receipt"}).content.decode()

    assert re.findall(r'src="/preview/([a-z-]+)', html) == [
        "receipt-paid",
        "receipt-by-another",
        "receipt-before",
        "receipt-refunded-in-part",
        "receipt-refunded",
        "receipt-of-seller",
        "receipt-proof",
        "receipt-proof-wrong",
        "receipt-proof-awaited",
        "top-up-receipt",
    ]


def test_the_pictures_of_a_screen_are_there():
    html = Client().get("/preview/review").content.decode()
    pictures = set(re.findall(r'<img src="(/[^"]+)"', html))

    assert {Client().get(address).status_code for address in pictures} == {200}


def test_a_screen_that_there_is_not_is_404():
    assert Client().get("/preview/nothing").status_code == 404


@pytest.mark.urls("config.urls")
@pytest.mark.django_db
def test_the_service_itself_has_no_preview():
    assert Client().get("/preview").status_code == 404
