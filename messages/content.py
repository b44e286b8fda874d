"""What a message says: as it was planned, or as the room that planned it writes it when due."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.utils import translation
from django.utils.module_loading import import_string

from messages.models import Message


@dataclass(frozen=True)
class Content:
    """What the reader sees. Only an e-mail has a subject, HTML, and an address for answers."""

    text: str
    subject: str = ""
    html: str = ""
    reply_to: str = ""


def content_of(message: Message, now: datetime) -> Content | None:
    """Return what a message says, in its reader's language; None where it is not needed now."""
    if message.text:
        return Content(message.text, message.subject)
    write: Callable[[Message, datetime], Content | None]
    write = import_string(settings.MESSAGE_WRITERS[message.kind])
    with translation.override(message.language or settings.LANGUAGE_CODE):
        return write(message, now)
