"""The periodic work of the ledger."""

from celery import shared_task

from core.clock import now
from ledger import sealing

SEAL_BATCH = 1_000


@shared_task
def seal_transfers() -> None:
    """Seal all that waits. May run twice, and on two machines: one of them finds nothing to do."""
    while sealing.seal_transfers(now=now(), limit=SEAL_BATCH) == SEAL_BATCH:
        pass
