"""The periodic work of the ledger."""

from celery import shared_task

from core.clock import now
from ledger import sealing


@shared_task
def seal_transfers() -> None:
    """Seal what waits. May run twice, and on two machines: one of them finds nothing to do."""
    while sealing.seal_transfers(now=now()) == sealing.SEAL_BATCH:
        pass
