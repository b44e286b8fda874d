"""Text messages: written to the console, or handed to a gateway over HTTP.

`SMS_URL` is `console://`, or the https address of a gateway that takes
`POST {"to": "+12425550100", "text": "…"}` as JSON, with a user and password in the address where
it wants them. The address holds secrets: it appears in no log and in no error.
"""

import logging
import re
import sys
from urllib.parse import urlsplit

import requests
from django.conf import settings
from django.db import transaction

from core.errors import ServiceUnavailable

logger = logging.getLogger(__name__)

CONSOLE = "console"
TIMEOUT_SECONDS = (3, 5)  # to connect, to answer
NAME_CHARACTERS = 40


class SmsNotSent(ServiceUnavailable):
    message = "The text message could not be sent. Try again shortly."


def sanitized(name: str) -> str:
    """Return a merchant's name made safe for a text: short, and without links."""
    kept = re.sub(r"[^\w\s.,&'()+-]", " ", name)
    apart = re.sub(r"\.(?=\S)", ". ", kept)
    return " ".join(apart.split())[:NAME_CHARACTERS].strip()


def send(*, to: str, text: str) -> None:
    """Send a text to an E.164 number. Raises SmsNotSent.

    Raises RuntimeError inside a transaction: its locks would be held for as long as it takes.
    """
    with transaction.atomic(durable=True):
        pass  # a durable block is refused within another one
    if urlsplit(settings.SMS_URL).scheme == CONSOLE:
        sys.stdout.write(f"Text message to {to}:\n{text}\n")
        sys.stdout.flush()
    else:
        _post(settings.SMS_URL, {"to": to, "text": text})


def _post(url: str, message: dict[str, str]) -> None:
    """Hand a message to the gateway. A refusal is reported without the address and the text."""
    with requests.Session() as session:
        session.trust_env = False  # no password from a .netrc, no proxy that reads the codes
        try:
            answer = session.post(
                url, json=message, timeout=TIMEOUT_SECONDS, allow_redirects=False, stream=True
            )
            status = str(answer.status_code)
            is_sent = answer.ok and not answer.is_redirect
        except requests.RequestException as error:
            status, is_sent = type(error).__name__, False
    if not is_sent:
        logger.error("the SMS gateway refused a message: %s", status)
        raise SmsNotSent from None
