"""The pages speak four languages: all texts, by browser or by name, with money and dates."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings
from django.core.management import call_command
from django.utils import translation

from backoffice import formats as staff_formats
from checkout.catalogs import LANGUAGES, compiled, missing, read_source, source_path, texts
from core import formats
from core.clock import utc_now
from customers.models import Customer
from tests.checkout.shopper import Shopper


def test_every_text_is_translated():
    wanted = {message.id for message in texts()}
    sources = {language: read_source(language) for language in LANGUAGES}

    assert {language: missing(source) for language, source in sources.items()} == {
        language: [] for language in LANGUAGES
    }
    for language, source in sources.items():
        assert {message.id for message in source} == wanted, language


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_compiled_file_is_that_of_the_source(language):
    path = source_path(language).with_suffix(".mo")

    assert path.read_bytes() == compiled(read_source(language))


@pytest.mark.parametrize("language", LANGUAGES)
def test_translations_keep_every_value_of_the_text(language):
    wrong = [
        message.id
        for message in read_source(language)
        if message.id and list(message.check()) != []
    ]

    assert wrong == []


def test_no_template_puts_a_mark_behind_a_translated_text():
    """It was "Remboursement en cours: 1,00 B$"; French has a space before the colon."""
    marks = re.compile(r'(?:translate "[^"]*"|endblocktranslate) %}[:;?!].{0,20}')
    folders = (settings.BASE_DIR / "templates" / folder for folder in ("checkout", "emails"))
    templates = [path for folder in folders for path in folder.iterdir()]

    assert {path.name: marks.findall(path.read_text()) for path in templates} == {
        path.name: [] for path in templates
    }


def test_no_line_of_a_french_page_begins_with_a_mark():
    """Text messages keep ordinary spaces: with others, half as many letters fit into one."""
    parts = [
        part
        for message in read_source("fr")
        if any(place.startswith(("checkout/", "templates/")) for place, _line in message.locations)
        for part in ([message.string] if isinstance(message.string, str) else message.string or ())
    ]

    assert len(parts) > 300
    assert [part for part in parts if re.search(r" [:;?!»]|« ", part)] == []


def test_no_heading_of_a_narrow_page_breaks_inside_e_mail():
    """A line may break behind the hyphen: "Confirm your e-" stood above "mail address"."""
    page = (settings.BASE_DIR / "templates/checkout/confirm_address.html").read_text()
    headings = re.findall(r'<h1>{% translate "(.*?)" %}', page)
    words = [heading for heading in headings if "mail" in heading]
    texts = [*words, *(message.string for message in read_source("fr") if message.id in words)]

    assert len(texts) == 4
    assert [text for text in texts if "e\u2011mail" not in text] == []


def test_the_command_takes_in_new_texts_and_counts_what_is_missing(settings, tmp_path, capsys):
    settings.LOCALE_PATHS = [tmp_path]

    call_command("translations")

    said = capsys.readouterr().out
    assert re.match(r"es: \d{3} missing\n", said)
    assert "fr: complete" not in said
    assert (tmp_path / "ht" / "LC_MESSAGES" / "django.mo").exists()


WORDS = {"en": "Pay to", "es": "Pagar a", "fr": "Payer à", "ht": "W ap peye"}


@pytest.mark.parametrize(
    ("language", "money", "grouped", "day", "time"),
    [
        ("en", "B$12.50", "B$1,250.00", "21\u00a0Nov\u00a02026", "2:05\u00a0pm"),
        ("es", "B$12.50", "B$1,250.00", "21\u00a0nov\u00a02026", "2:05\u00a0p.m."),
        ("fr", "12,50\u00a0B$", "1\u00a0250,00\u00a0B$", "21\u00a0nov.\u00a02026", "14:05"),
        ("ht", "12,50\u00a0B$", "1\u00a0250,00\u00a0B$", "21\u00a0nov.\u00a02026", "14:05"),
    ],
)
def test_money_and_dates_are_written_as_people_read_them(language, money, grouped, day, time):
    instant = datetime(2026, 11, 21, 14, 5, tzinfo=UTC)
    with translation.override(language):
        assert formats.money(1_250, "BSD") == money
        assert formats.money(125_000, "BSD") == grouped
        assert formats.day_of(instant) == day
        assert formats.time_of(instant) == time


@pytest.mark.parametrize(
    ("currency", "money", "alone"),
    [
        ("USD", "US$12.50", "US$12.50 USD"),
        ("JPY", "JP¥1,250", "JP¥1,250 JPY"),
        ("HTG", "HTG\u00a012.50", "HTG\u00a012.50"),
        ("IQD", "IQD\u00a01.250", "IQD\u00a01.250"),
        ("RSD", "RSD\u00a012.50", "RSD\u00a012.50"),
        ("CLF", "CLF\u00a00.1250", "CLF\u00a00.1250"),
    ],
)
def test_other_currencies_have_their_own_sign_and_decimals(currency, money, alone):
    with translation.override("en"):
        assert formats.money(1_250, currency) == money
        assert formats.money_and_code(1_250, currency) == alone


@pytest.mark.parametrize(
    ("language", "alone"),
    [("es", "HTG\u00a012.50"), ("fr", "12,50\u00a0HTG"), ("ht", "12,50\u00a0G HTG")],
)
def test_a_code_that_is_the_sign_is_said_once(language, alone):
    with translation.override(language):
        assert formats.money_and_code(1_250, "HTG") == alone


@pytest.mark.parametrize("currency", ["BSD", "USD", "JPY", "HTG", "IQD"])
@pytest.mark.parametrize("language", WORDS)
def test_staff_read_what_the_customer_reads_in_english(currency, language):
    with translation.override("en"):
        caller = formats.money_and_code(125_000, currency)
    with translation.override(language):
        assert staff_formats.money(125_000, currency) == caller
        assert staff_formats.money(-125_000, currency) == f"{staff_formats.MINUS}{caller}"


@pytest.mark.parametrize("language", WORDS)
def test_the_browser_decides_the_language(payment, language):
    shopper = Shopper(accept_language=f"{language},en;q=0.5")
    shopper.visit(payment.hosted_url)

    assert f'<html lang="{language}">' in shopper.text
    assert f">{WORDS[language]}<" in shopper.text


def test_a_language_asked_for_by_name_stays(payment):
    shopper = Shopper(accept_language="fr")
    shopper.visit(payment.hosted_url)
    press_language(shopper, "ht")
    shopper.send(to="/pay")

    assert '<html lang="ht">' in shopper.text
    assert shopper.client.cookies["django_language"]["httponly"]


def press_language(shopper: Shopper, code: str) -> None:
    """Press a language at the foot of the page, as a browser that says from where."""
    assert f"lang={code}" in shopper.text
    here = shopper.path
    address = f"{here}{'&' if '?' in here else '?'}lang={code}"
    shopper.client.get(address, headers={"Referer": f"http://testserver{here}"})


@pytest.mark.parametrize(
    "came_from",
    [
        {},
        {"Sec-Fetch-Site": "none"},
        {"Referer": "https://shop.example/http://testserver/"},
        {"Referer": "http://testserver/receipts/pay_1"},
    ],
    ids=["old browser", "mail app", "shop", "where a receipt leads"],
)
def test_a_link_from_elsewhere_speaks_a_language_for_its_one_page(payment, came_from):
    shopper = Shopper()
    answer = shopper.client.get(f"{payment.hosted_url}?lang=ht", headers=came_from)
    assert '<html lang="ht">' in answer.content.decode()
    shopper.visit(payment.hosted_url)

    assert '<html lang="en">' in shopper.text
    assert "django_language" not in shopper.client.cookies


def test_a_form_that_is_refused_there_keeps_none_either(payment):
    shopper = Shopper()
    shopper.visit(payment.hosted_url)
    shopper.send(to="/pay")
    page = shopper.path
    shopper.visit(f"{page}?lang=ht&a=b")
    shopper.send(phone="no number")

    assert shopper.path == f"{page}?a=b"
    assert '<html lang="en">' in shopper.text


def test_an_unknown_language_is_english(payment):
    shopper = Shopper()
    shopper.visit(f"{payment.hosted_url}?lang=../../etc")

    assert '<html lang="en">' in shopper.text
    assert "django_language" not in shopper.client.cookies


def test_signing_in_tells_in_which_language_to_write_to_the_customer(payment):
    shopper = Shopper(accept_language="ht")
    shopper.visit(payment.hosted_url)
    shopper.sign_in()

    assert Customer.objects.get().language == "ht"

    shopper = Shopper(accept_language="es")
    shopper.visit(f"/account/phone?test={payment.id}")
    shopper.send(phone="+1 242 555 0100")
    shopper.send(code="000000")

    assert Customer.objects.get().language == "es"


@pytest.mark.parametrize("site", ["cross-site", "none", None])
def test_a_link_of_a_stranger_chooses_no_language_for_warnings(payment, site):
    """Opened from a text message it chose them, for who was signed in."""
    shopper = Shopper(accept_language="es")
    shopper.visit(f"/account/phone?test={payment.id}&lang=fr")
    shopper.send(phone="+1 242 555 0100")
    shopper.send(code="000000")
    headers = {"Sec-Fetch-Site": site} if site else {}
    answer = shopper.client.get(f"{shopper.path}&lang=fr", headers=headers)
    shopper.visit(shopper.path)

    assert '<html lang="fr">' in answer.content.decode()
    assert '<html lang="es">' in shopper.text
    assert Customer.objects.get().language == "es"
    press_language(shopper, "ht")
    assert Customer.objects.get().language == "ht"


def test_another_language_is_the_same_page(payment):
    shopper = Shopper()
    shopper.visit(f"/account/phone?test={payment.id}&lang=fr")

    assert f'href="?test={payment.id}&amp;lang=ht"' in shopper.text


def test_no_sentence_ends_with_two_full_stops(payment):
    payment.expires_at = utc_now() - timedelta(minutes=1)
    payment.save()
    shopper = Shopper(accept_language="es")
    shopper.visit(payment.hosted_url)

    assert re.search(r"antes de: [^.]*[ap]\.m\. <strong>", shopper.text.replace("\u00a0", " "))
