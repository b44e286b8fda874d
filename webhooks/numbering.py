"""Number committed events: each once, without a gap per merchant and mode.

Numbers are assigned after the commit, by what needs them: the dispatcher before it claims, the API
before it lists. So no payment waits for another's number, and a rolled-back one leaves no gap.
"""

import structlog
from django.db import DatabaseError, connection, transaction

from core.advisory_locks import hold_lock
from core.database_away import reason_of, traceback_of
from webhooks.event_models import UnnumberedEvent

logger = structlog.get_logger(__name__)

BATCH = 500
# One process numbers at a time, on PostgreSQL by holding this; SQLite has one writer anyway.
LOCK = 1_936_618_852
_NUMBER = """
    INSERT INTO webhooks_feedentry
        (event_id, merchant_id, livemode, resource_id, type, sequence, previous_sequence)
    SELECT event_id, merchant_id, livemode, resource_id, type, sequence,
        COALESCE(
            LAG(sequence) OVER (PARTITION BY merchant_id, livemode, resource_id ORDER BY sequence),
            (SELECT MAX(earlier.sequence) FROM webhooks_feedentry AS earlier
             WHERE earlier.merchant_id = numbered.merchant_id
                AND earlier.livemode = numbered.livemode
                AND earlier.resource_id = numbered.resource_id)
        )
    FROM (
        SELECT event.id AS event_id, event.merchant_id, event.livemode, event.resource_id,
            event.type,
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
    """Number every committed event that has no number yet; return how many.

    If another process is numbering, `patient` waits for it and looks again; otherwise what that one
    missed is left for the next time. Never fails outside a transaction: the rest waits.
    """
    count = 0
    try:
        while UnnumberedEvent.objects.exists():
            done = _number_some(patient=patient)
            count += done
            if done < BATCH:
                break
    except DatabaseError as error:
        if connection.in_atomic_block:
            raise
        reason = reason_of(error)
        logger.warning("events_not_numbered", reason=reason, exc_info=traceback_of(error))
    return count


@transaction.atomic
def _number_some(*, patient: bool) -> int:
    """Number the first that wait. Read after the lock, so that all earlier numbers are visible.

    An event that was committed before another was written has the lower id and is visible wherever
    that one is: so it is numbered before it, or along with it but first.
    """
    if not hold_lock(LOCK, patient=patient):
        return 0
    ids = list(UnnumberedEvent.objects.order_by("id").values_list("id", flat=True)[:BATCH])
    if ids:
        with connection.cursor() as cursor:
            cursor.execute(_NUMBER.format(places=", ".join(["%s"] * len(ids))), ids)
        UnnumberedEvent.objects.filter(pk__in=ids).delete()
    return len(ids)
