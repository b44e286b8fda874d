"""When keys were last used: noted in memory and written a few seconds later by a background thread.

No request writes it. A key is noted again once its row is an hour old: a process writes at most
once an hour per key, all keys in one statement, and loses its last seconds if it dies.
"""

from datetime import datetime, timedelta
from threading import Lock

from django.db.models import Q

from core.background import write_later
from merchants.models import ApiKey

COARSENESS = timedelta(hours=1)

_used: dict[str, datetime] = {}
_lock = Lock()


def note_use(key: ApiKey, now: datetime) -> None:
    """Note that the key was used, unless its row is recent enough."""
    if key.last_used_at is not None and now - key.last_used_at < COARSENESS:
        return
    with _lock:
        first = not _used
        _used[key.id] = now
    if first:
        write_later(write_uses)


def write_uses() -> None:
    """Write what this process has noted. All keys get the latest instant: the column is coarse."""
    with _lock:
        used = dict(_used)
        _used.clear()
    if used:
        latest = max(used.values())
        older = Q(last_used_at=None) | Q(last_used_at__lt=latest)
        ApiKey.objects.filter(older, pk__in=used).update(last_used_at=latest)
