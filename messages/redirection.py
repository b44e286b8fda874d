"""Messages of test mode reach the merchant who tests, and no one else.

Whatever address a test payment names, its e-mails go to the merchant's own, once confirmed:
otherwise anyone could register and write to anyone in our name. No text message is sent in test
mode. In development, where mail is printed on the console, all of it is shown as it would be.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from django.conf import settings
from django.utils.html import format_html
from django.utils.module_loading import import_string

from core.attempt_limits import AttemptLimit, count_attempt
from core.errors import RateLimited
from messages.content import Content
from messages.models import Channel, Message

CONSOLE_BACKEND = "config.mail.ConsoleBackend"
UNCONFIRMED = "Unconfirmed: the merchant has not confirmed its e-mail address."
NO_TEXTS = "Test mode: no text message is sent."
# Limits what strangers can send to someone who has once confirmed an address for them.
PER_MERCHANT = AttemptLimit("test-mail", 100, timedelta(days=1))
TOO_MANY = f"Too many: {PER_MERCHANT.times} e-mails of tests a day are sent."
_NOTICE = (
    "Test mode: this e-mail would have gone to {}. It has been sent to you instead."
    " If the merchant is not yours, stop its e-mails: {}"
)


class Undeliverable(Exception):  # not an error: the message is not needed
    """A message that no one may receive; its text says why."""


def readdressed(message: Message, content: Content, now: datetime) -> Content:
    """Return what is really sent, and set the real recipient in the message, in memory only.

    Raises Undeliverable.
    """
    if message.livemode or _is_shown_on_console():
        return content
    if message.channel == Channel.SMS:
        raise Undeliverable(NO_TEXTS)
    find: Callable[[str], tuple[str, str] | None] = import_string(settings.CONFIRMED_EMAIL)
    found = find(message.merchant_id)
    if found is None:
        raise Undeliverable(UNCONFIRMED)
    try:
        if message.attempts == 1:  # counted once, however often the server is down
            count_attempt(PER_MERCHANT, message.merchant_id, now=now)
    except RateLimited:
        raise Undeliverable(TOO_MANY) from None
    meant, (message.recipient, stop_url) = message.recipient, found
    return _with_notice(content, _NOTICE.format(meant, stop_url))


def _with_notice(content: Content, notice: str) -> Content:
    """Begin an e-mail with whom it was meant for, and how to stop such e-mails."""
    body = content.html
    if body:
        opening, end, rest = body.partition("<body")
        tag, close, after = rest.partition(">")
        paragraph = format_html("<p>{}</p>", notice)
        body = f"{opening}{end}{tag}{close}{paragraph}{after}" if end else f"{paragraph}{body}"
    return replace(content, text=f"{notice}\n\n{content.text}", html=body)


def _is_shown_on_console() -> bool:
    return settings.DEVELOPMENT_MODE and settings.EMAIL_BACKEND == CONSOLE_BACKEND
