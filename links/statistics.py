"""How often links are opened and started: counted in memory, written a few seconds later.

Opening a page must not write to the database, and a link on a poster must not become a hot row.
These two counts are statistics, not money: a process that dies loses its last seconds of them.
Payments and what they collect are counted elsewhere, exactly.
"""

from collections import Counter
from threading import Lock

from django.conf import settings
from django.db.models import F

from core.background import write_later
from links.models import PaymentLink

_counts: Counter[tuple[str, str]] = Counter()
_lock = Lock()


def note_opened(link_id: str) -> None:
    """Count that a link was opened."""
    _note(link_id, "opened_count")


def note_started(link_id: str) -> None:
    """Count that a payment was started through a link."""
    _note(link_id, "started_count")


def write_counts() -> None:
    """Add what was counted in this process to the rows."""
    with _lock:
        counts = dict(_counts)
        _counts.clear()
    for (link_id, field), number in counts.items():
        PaymentLink.objects.filter(pk=link_id).update(**{field: F(field) + number})


def _note(link_id: str, field: str) -> None:
    if not settings.GATHER_SECONDS:
        return
    with _lock:
        first = not _counts
        _counts[link_id, field] += 1
    if first:
        write_later(write_counts)
