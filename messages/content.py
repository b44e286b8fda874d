"""The content of a message: written by its room when it is due, or else stored with it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from django.conf import settings
from django.utils import translation
from django.utils.module_loading import import_string

from core.text import without_piles, without_tags
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

    Without piles of marks: no mailbox keeps them from covering the words around them. Without tag
    characters: an assistant that summarizes a mailbox reads what its owner does not see.
    """
    content = _written(message, now)
    if content is None:
        return None
    return replace(
        content,
        text=_readable(content.text),
        subject=_readable(content.subject),
        html=_readable(content.html),
    )


def _readable(text: str) -> str:
    return without_tags(without_piles(text))


def _written(message: Message, now: datetime) -> Content | None:
    writer = settings.MESSAGE_WRITERS.get(message.kind)
    if writer is None:
        return Content(message.text, message.subject)
    write: Callable[[Message, datetime], Content | None] = import_string(writer)
    with translation.override(message.language or settings.LANGUAGE_CODE):
        return write(message, now)
