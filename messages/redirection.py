"""Messages of test mode reach the merchant who tests, and no one else.

Whatever address a test payment names, its e-mails go to the merchant's own, once that is confirmed:
anyone can register, and could otherwise write to anyone in our name. No text message leaves in
test mode. In development, where mail is printed on the console, all of it is shown as it would be.
"""

from collections.abc import Callable
from dataclasses import replace

from django.conf import settings
from django.utils.html import format_html
from django.utils.module_loading import import_string

from messages.content import Content
from messages.models import Channel, Message

CONSOLE_BACKEND = "config.mail.ConsoleBackend"
UNCONFIRMED = "Unconfirmed: the merchant has not confirmed its e-mail address."
NO_TEXTS = "Test mode: no text message is sent."
_NOTICE = "Test mode: this e-mail would have gone to {}. It has been sent to you instead."


class Undeliverable(Exception):  # no error: the message is not needed
    """A message that no one may get; its text says why."""


def actual_recipient(message: Message) -> str:
    """Return whom the message really goes to. Raises Undeliverable."""
    if message.livemode or _is_shown_on_console():
        return message.recipient
    if message.channel == Channel.SMS:
        raise Undeliverable(NO_TEXTS)
    find: Callable[[str], str | None] = import_string(settings.CONFIRMED_EMAIL)
    address = find(message.merchant_id)
    if address is None:
        raise Undeliverable(UNCONFIRMED)
    return address


def with_notice(content: Content, recipient: str) -> Content:
    """Let an e-mail begin with whom it was meant for."""
    notice, body = _NOTICE.format(recipient), content.html
    if body:
        opening, end, rest = body.partition("<body")
        tag, close, after = rest.partition(">")
        paragraph = format_html("<p>{}</p>", notice)
        body = f"{opening}{end}{tag}{close}{paragraph}{after}" if end else f"{paragraph}{body}"
    return replace(content, text=f"{notice}\n\n{content.text}", html=body)


def _is_shown_on_console() -> bool:
    return settings.DEVELOPMENT_MODE and settings.EMAIL_BACKEND == CONSOLE_BACKEND
