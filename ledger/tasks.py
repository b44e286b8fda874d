"""The periodic work of the ledger."""

from celery import shared_task

from core.clock import utc_now
from ledger import proving, sealing

SEAL_BATCH = 1_000
PROOF_SECONDS = 3_600


@shared_task
def seal_transfers() -> None:
    """Seal all that waits. May run twice, and on two machines: one of them finds nothing to do."""
    while sealing.seal_transfers(now=utc_now(), limit=SEAL_BATCH) == SEAL_BATCH:
        pass


# Taken off the queue at once: the broker would hand what lasts for minutes to a second worker.
@shared_task(acks_late=False, soft_time_limit=PROOF_SECONDS, time_limit=PROOF_SECONDS + 60)
def prove_ledger() -> None:
    """Prove the ledger, if that is due. May run twice: one of them finds it claimed."""
    proving.prove_if_due(now=utc_now())
