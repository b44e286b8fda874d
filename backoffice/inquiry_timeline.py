"""What a customer reported on a receipt, and what was answered, for a timeline."""

from collections.abc import Iterator

from backoffice import formats
from backoffice.page_parts import TimelineEntry
from backoffice.resource.shown import actor_words
from refunds.models import Inquiry

_WRITTEN_BY = {
    "customer": "written by the customer",
    "visitor": "written by someone with the receipt",
}


def entries_of(inquiry: Inquiry, most: int, url: str = "") -> Iterator[TimelineEntry]:
    """Yield the newest `most` entries of an inquiry, newest first, linked to `url` if given."""
    for entry in inquiry.entries.order_by("-pk")[:most]:
        words = f"Inquiry: {_WRITTEN_BY.get(entry.author, entry.status)}"
        yield TimelineEntry(
            entry.at,
            "forum",
            formats.link(words, url),
            actor_words(entry.actor),
            details=(entry.text,),
            tone=formats.tone(entry.status),
        )
