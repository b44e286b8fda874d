"""How long personal data is kept, in one table, and how it is deleted in short batches.

`docs/privacy.md` says the same to people, with the reasons; a test holds the two together.
"""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet

BATCH = 2_000

# Counted from the end of a thing: its expiry, its last attempt, or when it happened.
PERIODS = {
    "one-time codes": timedelta(days=1),
    "passkey challenges": timedelta(days=1),
    "attempt counts": timedelta(days=1),
    "responses under an Idempotency-Key": timedelta(days=3),
    "customers' sessions": timedelta(days=30),
    "statements of accounts": timedelta(days=30),
    "verification attempts": timedelta(days=180),
    "messages": timedelta(days=180),
    "delivery logs": timedelta(days=90),
    "exports of staff": timedelta(days=7),
    "staff sign-ins": timedelta(days=180),
    "staff sessions": timedelta(days=0),
}


def delete_all(rows: QuerySet[Any], *, order_by: str) -> int:
    """Delete in batches and in order: one statement for a day's rows might take too long.

    In the order of an index, each batch begins where the one before has ended; in no order, it
    would step over all that was deleted. The keys of a batch stay in the database, as a subquery.
    """
    deleted, batch = 0, rows.order_by(order_by).values("pk")[:BATCH]
    while True:
        count = rows.filter(pk__in=batch).delete()[0]
        deleted += count
        if count < BATCH:
            return deleted


def delete_oldest(rows: QuerySet[Any], instant: str, *, before: datetime) -> int:
    """Delete rows whose `instant` is earlier than `before`, lowest key first; keys rise with time.

    It reads no further than the first batch with a newer row: no index on `instant` is needed.
    """
    deleted = 0
    while True:
        batch = list(rows.order_by("pk").values_list("pk", instant)[:BATCH])
        old = [key for key, at in batch if at < before]
        if old:
            deleted += rows.filter(pk__in=old).delete()[0]
        if len(old) < BATCH:
            return deleted
