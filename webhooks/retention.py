"""Delete the logs of old deliveries, and old outages.

Events stay; test events go with their deliveries.
"""

from collections.abc import Callable
from datetime import datetime
from math import inf

from django.db import transaction
from django.db.models import QuerySet

from core.ids import new_id
from core.retention import PERIODS, delete_oldest
from ledger.logging_rows import log_deletions
from webhooks.models import Delivery, EndpointOutage, Event
from webhooks.statuses import DeliveryStatus

BATCH = 500
MOST_A_TURN = 10_000


def delete_old_deliveries(*, now: datetime) -> int:
    """Delete deliveries past their retention, up to a limit per turn; return how many."""
    return prune_deliveries(before=now - PERIODS["delivery logs"], most=MOST_A_TURN)


def delete_old_outages(*, now: datetime) -> int:
    """Delete outages that ended before the deliveries that are still kept; return how many."""
    return delete_oldest(
        EndpointOutage.objects.all(), "until", before=now - PERIODS["delivery logs"]
    )


def prune_deliveries(
    *, before: datetime, most: float = inf, progress: Callable[[int], None] | None = None
) -> int:
    """Delete the deliveries that were created before then and have ended; return how many.

    Their attempts go with them, and so do test events that were sent nowhere else. Works in short
    batches, up to `most`; `progress` is called with the count so far.
    """
    count, last = 0, ""
    while count < most and (gone := _prune_some(before, after=last)):
        count, last = count + len(gone), gone[-1]
        if progress:
            progress(count)
    return count


def ended_before(before: datetime) -> QuerySet[Delivery]:
    """Return what would be pruned; ids sort by creation, so no later rows are read."""
    over = Delivery.objects.exclude(status=DeliveryStatus.PENDING)
    return over.filter(pk__lt=new_id("dlv", before), created_at__lt=before)


@transaction.atomic
def _prune_some(before: datetime, *, after: str) -> list[str]:
    """Delete the next batch and return its ids: each begins where the last one ended.

    Starting over, it would step over every row deleted before, until those are vacuumed.
    """
    over = ended_before(before).filter(pk__gt=after).order_by("pk")
    rows = list(over.values_list("pk", "event_id")[:BATCH])
    ids = [pk for pk, _ in rows]
    Delivery.objects.filter(pk__in=ids).delete()
    events = {event_id for _, event_id in rows}
    samples = Event.objects.filter(pk__in=events, is_test=True, deliveries=None)
    log_deletions(Event._meta.db_table, samples.values_list("pk", flat=True))
    samples.delete()
    return ids
