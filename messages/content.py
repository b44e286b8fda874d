"""The content of a message: written by its room when it is due, or else stored with it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.utils import translation
from django.utils.module_loading import import_string

from messages.models import Message


@dataclass(frozen=True)
class Content:
    """What the reader sees. Only an e-mail has a subject, HTML and a reply address."""

    text: str
    subject: str = ""
    html: str = ""
    reply_to: str = ""


def content_of(message: Message, now: datetime) -> Content | None:
    """Return the content, in the reader's language; None if the message is no longer needed."""
    writer = settings.MESSAGE_WRITERS.get(message.kind)
    if writer is None:
        return Content(message.text, message.subject)
    write: Callable[[Message, datetime], Content | None] = import_string(writer)
    with translation.override(message.language or settings.LANGUAGE_CODE):
        return write(message, now)
