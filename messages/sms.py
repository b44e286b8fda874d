"""Text messages: written to the console, or handed to a gateway over HTTP.

`SMS_URL` is `console://`, or the https address of a gateway that takes
`POST {"to": "+12425550100", "text": "…"}` as JSON, with user and password in the address if it
needs them. A planned message carries an `Idempotency-Key`, the same on each attempt. Any answer of
2xx means that it has taken the text, whatever the body says: while it is out of order, it has to
answer 5xx. The address holds secrets: it appears in no log and in no error.

`requests`, 5 MB, is loaded by the process that sends the first one to a gateway.
"""

import logging
import re
import sys
import unicodedata
from collections.abc import Iterator
from itertools import dropwhile
from traceback import walk_tb
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext

from core.text import without_piles
from messages.errors import Fault, MessageNotSent, NumberRefused

if TYPE_CHECKING:
    from requests import RequestException

logger = logging.getLogger(__name__)

CONSOLE = "console"
TIMEOUT_SECONDS = (3, 5)  # to connect, to answer
HANDSHAKE = "wrap_socket"  # the function of Python's `ssl` that ends with it
NAME_CHARACTERS = 40
MAX_NAME_DIGITS = 2
MOST_NAME_MARKS = 4
_WORDS = re.compile(r"[\w\s,&'()-]")
# Lisu is written in capitals of Latin, with stops and colons for its tones; Sinology has one, too.
_DOTS = re.compile("[\ua4f8-\ua4fd\ua78f]")
_UNSEEN = re.compile("[\u034f\u200c\u200d\ufe00-\ufe0f]")  # joiners, selectors of a form
# Latin, Greek, Cyrillic, Armenian and Hawaiian, which names mix, and signs between their letters.
_COMMON = re.compile(
    r"[0-9A-Za-z\u00c0-\u02af\u0370-\u058a\u1e00-\u1fff\s,&'()\u02b9-\u02bf\u02c8-]"
)
_EAST_ASIAN = {"BOPOMOFO", "CJK", "HANGUL", "HIRAGANA", "IDEOGRAPHIC", "KATAKANA"}
# What print has for these is not in the alphabet of SMS, of which 160 letters fit into a part: with
# one letter from outside it is 70.
_TYPEWRITTEN = str.maketrans(
    {
        "\u00a0": " ",
        "\u202f": " ",
        "\u2010": "-",
        "\u2011": "-",
        "\u2012": "-",
        "\u2013": "-",
        "\u2014": "-",
        "\u2212": "-",
        "\u2018": "'",
        "\u2019": "'",
        "\u201c": '"',
        "\u201d": '"',
    }
)
_WHOLE = "\u0e33\u0eb3"  # vowels of Thai and Lao, whose usual form is written differently
# These concern our account or the rate, not the message: it may be retried.
RETRYABLE_REFUSALS = {401, 403, 408, 425, 429}
# These most probably concern the number. Anyone may enter one that does not exist: no alarm.
NUMBER_REFUSALS = {400, 422}


def sanitized(name: str) -> str:
    """Return a merchant's name made safe for a text: short, without links and phone numbers.

    It contains no dot, by which phones recognise a link, nor a letter of another script that people
    read as one, and no digits if there are more than two: `Pier 39` is a name, `Call 919` an
    instruction. If nothing is left, it is only called a shop: the service's own name would let it
    speak for us. The vowels and tones of other scripts stay, which are marks; not as many on a
    letter as would cover the line above, with the code.
    """
    typed = "".join(map(_plain, name.translate(_TYPEWRITTEN)))
    plain = without_piles(typed, most=MOST_NAME_MARKS)
    seen = _UNSEEN.sub("", unicodedata.normalize("NFC", plain))
    kept = "".join(each if _is_kept(each) else " " for each in seen)
    kept = "".join(map(_in_our_digits, _without_odd_letters(kept)))
    if sum(map(str.isnumeric, kept)) > MAX_NAME_DIGITS:  # ➁, too, which is no decimal digit
        kept = "".join(" " if each.isnumeric() or each in "()-" else each for each in kept)
    words = ("".join(dropwhile(_is_mark, word)) for word in kept.split())
    return _cut(" ".join(filter(None, words))).strip() or gettext("a shop")


def _cut(name: str) -> str:
    """Return the beginning of a name, up to a letter that keeps all of its marks."""
    end = NAME_CHARACTERS
    while len(name) > end and _is_mark(name[end]):
        end -= 1
    return name[:end]


def _is_kept(character: str) -> bool:
    is_word = _WORDS.match(character) or _is_mark(character)
    return bool(is_word) and not _DOTS.match(character)


def _without_odd_letters(name: str) -> str:
    """Replace each letter, digit or spacing mark that shares its script with neither neighbour.

    Between letters it may be drawn as a dot, colon or slash, as the zero of Arabic and the no of
    Katakana are. Apostrophes of Hawaiian and accents stay.
    """
    kept = list(name)
    places = [at for at, each in enumerate(name) if unicodedata.category(each) != "Mn"]
    for before, at, after in zip(places, places[1:], places[2:], strict=False):
        around = {_script(name[before]), _script(name[after])}
        if not _COMMON.match(name[at]) and "" not in around and _script(name[at]) not in around:
            kept[at] = " "
    return "".join(kept)


def _script(character: str) -> str:
    """Return the script of a letter, digit or mark, with which its name begins; "" for others."""
    if not (character.isalnum() or _is_mark(character)):
        return ""
    named = unicodedata.name(character, "?").removeprefix("EXTENDED ")
    script = named.replace("-", " ").partition(" ")[0]
    return "CJK" if script in _EAST_ASIAN else script


def _plain(character: str) -> str:
    """Return the usual form of a character, as of a letter or digit that is wide or in a circle."""
    return character if character in _WHOLE else unicodedata.normalize("NFKC", character)


def _in_our_digits(character: str) -> str:
    """Return a digit of another script as ours: the zero of Arabic is drawn as a dot."""
    return str(unicodedata.decimal(character)) if character.isdecimal() else character


def _is_mark(character: str) -> bool:
    return unicodedata.category(character) in ("Mn", "Mc")


def refuse_stopped() -> None:
    """Raise MessageNotSent while `SMS_STOP` is set."""
    if settings.SMS_STOP:
        raise MessageNotSent(Fault.TEMPORARY, "SMS_STOP is set.")


def send(*, to: str, text: str, reference: str = "") -> None:
    """Send a text to an E.164 number. Raises MessageNotSent, as NumberRefused if that is why.

    `reference` is the Idempotency-Key, by which a gateway drops a duplicate. No-break spaces,
    curved quotation marks and dashes are sent as a typewriter has them.
    A gateway that is not reached is not logged: the caller notes the outage, or knows of it.
    Raises RuntimeError inside a transaction: its locks would be held for as long as it takes.
    """
    with transaction.atomic(durable=True):
        pass  # a durable block is refused within another one
    refuse_stopped()
    text = text.translate(_TYPEWRITTEN)
    if urlsplit(settings.SMS_URL).scheme == CONSOLE:
        sys.stdout.write(f"Text message to {to}:\n{text}\n")
        sys.stdout.flush()
    else:
        headers = {"Idempotency-Key": reference} if reference else {}
        _post(settings.SMS_URL, {"to": to, "text": text}, headers)


def _post(url: str, message: dict[str, str], headers: dict[str, str]) -> None:
    """Hand a message to the gateway. A refusal is reported without the address and the text."""
    import requests

    status = 0  # of no answer
    with requests.Session() as session:
        session.trust_env = False  # no password from a .netrc, no proxy that reads the codes
        try:
            answer = session.post(
                url,
                json=message,
                headers=headers,
                timeout=TIMEOUT_SECONDS,
                allow_redirects=False,
                stream=True,
            )
            status = answer.status_code
            cause, fault = str(status), _fault_of_answer(status)
        except requests.RequestException as error:
            cause, fault = _cause_of(error), _fault_of_error(error)
    if fault is Fault.UNREACHED:
        raise MessageNotSent(fault, f"SMS gateway: {cause}") from None
    if fault:
        is_number = status in NUMBER_REFUSALS
        level = logging.WARNING if is_number else logging.ERROR
        logger.log(level, "the SMS gateway refused a message: %s", cause)
        refusal = NumberRefused if is_number else MessageNotSent
        raise refusal(fault, f"SMS gateway: {cause}") from None


def _fault_of_answer(status: int) -> Fault | None:
    if 200 <= status < 300:
        return None
    refused = 400 <= status < 500 and status not in RETRYABLE_REFUSALS
    return Fault.REFUSED if refused else Fault.TEMPORARY


def _fault_of_error(error: "RequestException") -> Fault:
    """Distinguish a gateway that was not reached from one that may have accepted the message."""
    from urllib3.exceptions import MaxRetryError

    unreached = bool(error.args) and isinstance(error.args[0], MaxRetryError)
    # Nothing is sent before the handshake of TLS has ended.
    unreached = unreached or HANDSHAKE in _calls_of(error)
    return Fault.UNREACHED if unreached else Fault.UNKNOWN


def _cause_of(error: BaseException) -> str:
    """Return the error's name, with the message of the operating system if there is one.

    The library's own message quotes the address, which holds secrets.
    """
    message = ""
    for cause in _causes_of(error):
        message = getattr(cause, "strerror", None) or message
    return f"{type(error).__name__} ({message})" if message else type(error).__name__


def _calls_of(error: BaseException) -> Iterator[str]:
    """Yield the name of each function that the error, or what caused it, has ended."""
    for cause in _causes_of(error):
        yield from (frame.f_code.co_name for frame, _ in walk_tb(cause.__traceback__))


def _causes_of(error: BaseException) -> Iterator[BaseException]:
    """Yield the error, what caused it, and so on."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__
