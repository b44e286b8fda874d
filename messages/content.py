"""The content of a message: written by its room when it is due, or else stored with it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from django.conf import settings
from django.utils import translation
from django.utils.module_loading import import_string

from core.text import without_piles
from messages.models import Message


@dataclass(frozen=True)
class Content:
    """What the reader sees. Only an e-mail has a subject, HTML and a reply address."""

    text: str
    subject: str = ""
    html: str = ""
    reply_to: str = ""


def content_of(message: Message, now: datetime) -> Content | None:
    """Return the content, in the reader's language; None if the message is no longer needed.

    Without piles of marks: no mailbox keeps them from covering the words around them.
    """
    content = _written(message, now)
    if content is None:
        return None
    return replace(
        content,
        text=without_piles(content.text),
        subject=without_piles(content.subject),
        html=without_piles(content.html),
    )


def _written(message: Message, now: datetime) -> Content | None:
    writer = settings.MESSAGE_WRITERS.get(message.kind)
    if writer is None:
        return Content(message.text, message.subject)
    write: Callable[[Message, datetime], Content | None] = import_string(writer)
    with translation.override(message.language or settings.LANGUAGE_CODE):
        return write(message, now)
