"""Number what has been committed: each event once, without a gap per merchant and mode.

Numbers are given after the commit, by what needs them: the dispatcher before it claims, the API
before it shows. So no payment waits for another's number, and none that is undone leaves a gap.
"""

import structlog
from django.db import DatabaseError, connection, transaction

from core.advisory_locks import hold_lock
from webhooks.event_models import UnnumberedEvent

logger = structlog.get_logger(__name__)

BATCH = 500
# One process numbers at a time, on PostgreSQL by holding this; SQLite has one writer anyway.
LOCK = 1_936_618_852
_NUMBER = """
    INSERT INTO webhooks_feedentry
        (event_id, merchant_id, livemode, resource_id, sequence, previous_sequence)
    SELECT event_id, merchant_id, livemode, resource_id, sequence,
        COALESCE(
            LAG(sequence) OVER (PARTITION BY merchant_id, livemode, resource_id ORDER BY sequence),
            (SELECT MAX(earlier.sequence) FROM webhooks_feedentry AS earlier
             WHERE earlier.merchant_id = numbered.merchant_id
                AND earlier.livemode = numbered.livemode
                AND earlier.resource_id = numbered.resource_id)
        )
    FROM (
        SELECT event.id AS event_id, event.merchant_id, event.livemode, event.resource_id,
            ROW_NUMBER() OVER (PARTITION BY event.merchant_id, event.livemode ORDER BY waiting.id)
            + COALESCE(
                (SELECT MAX(latest.sequence) FROM webhooks_feedentry AS latest
                 WHERE latest.merchant_id = event.merchant_id
                    AND latest.livemode = event.livemode),
                0
            ) AS sequence
        FROM webhooks_unnumberedevent AS waiting
        JOIN webhooks_event AS event ON event.id = waiting.event_id
        WHERE waiting.id IN ({places})
    ) AS numbered
"""


def number_events(*, patient: bool = False) -> int:
    """Number every committed event that waits for it; return how many.

    Where another process is numbering, `patient` waits for it and looks again; otherwise what it
    has not seen stays for the next time. Never fails: what could not be numbered waits.
    """
    count = 0
    try:
        while UnnumberedEvent.objects.exists():
            done = _number_some(patient=patient)
            count += done
            if done < BATCH:
                break
    except DatabaseError:
        if connection.in_atomic_block:
            raise
        logger.warning("events_not_numbered", exc_info=True)
    return count


@transaction.atomic
def _number_some(*, patient: bool) -> int:
    """Number the first that wait. What is read after the lock shows all that was numbered before.

    An event that was committed before another was written has the lower id and is seen wherever
    that one is: so it is numbered before it, or with it and first.
    """
    if not hold_lock(LOCK, patient=patient):
        return 0
    ids = list(UnnumberedEvent.objects.order_by("id").values_list("id", flat=True)[:BATCH])
    if ids:
        with connection.cursor() as cursor:
            cursor.execute(_NUMBER.format(places=", ".join(["%s"] * len(ids))), ids)
        UnnumberedEvent.objects.filter(pk__in=ids).delete()
    return len(ids)
