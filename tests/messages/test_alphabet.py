"""The alphabet of text messages: 160 letters of it fit into a part, and 70 if one is from outside.

What a text cannot be spelled without, as "código" and "Reçu", stays; marks and spaces that print
has other forms of are sent as those of a typewriter.
"""

from collections.abc import Iterator

import pytest
from babel.messages.pofile import read_po
from django.conf import settings
from pytest_django import Settings

from config.environment import BASE_DIR
from messages import sms

# GSM 03.38 with its extension; a space stands for those that only it has.
ALPHABET = set(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà^{}\\[~]|€"
)
WRITERS = {
    "customers/codes.py",
    "customers/security_alerts.py",
    "funding/notices.py",
    "messages/sms.py",
    "refunds/emails.py",
}


def _texts() -> Iterator[str]:
    """Return all that the writers of texts say, in every language."""
    for language, _ in settings.LANGUAGES:
        if language == "en":
            continue
        path = BASE_DIR / f"checkout/locale/{language}/LC_MESSAGES/django.po"
        with path.open("rb") as file:
            for message in read_po(file):
                if WRITERS & {name for name, _ in message.locations}:
                    assert isinstance(message.id, str)
                    yield from (message.id, str(message.string))


def _sent(text: str, capsys: pytest.CaptureFixture[str]) -> str:
    sms.send(to="+12425550100", text=text)
    return capsys.readouterr().out.removeprefix("Text message to +12425550100:\n")


@pytest.mark.django_db
def test_only_letters_of_words_are_from_outside(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.SMS_URL = "console://"
    texts = list(_texts())
    assert len(texts) > 150

    for text in texts:
        outside = set(_sent(text, capsys)) - ALPHABET
        assert all(map(str.isalpha, outside)), text


@pytest.mark.django_db
def test_marks_of_print_are_sent_as_a_typewriter_has_them(
    settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.SMS_URL = "console://"

    sent = _sent("\u201cJusqu\u2019\u00e0\u201d 1\u202f500,00\u00a0B$ \u2013 2:05", capsys)

    assert sent == '"Jusqu\'\u00e0" 1 500,00 B$ - 2:05\n'


@pytest.mark.parametrize("name", ["Joe\u2019s Café", "Joe's Café"])
def test_a_name_keeps_its_apostrophe(name: str) -> None:
    """It was left out: the text named "Joe s Café"."""
    assert sms.sanitized(name) == "Joe's Café"
