"""The periodic work of the ledger."""

from celery import shared_task

from core.clock_check import LONG_STEP, turn_now
from ledger import proving, sealing

SEAL_BATCH = 1_000
PROOF_SECONDS = 3_600


@shared_task
def seal_transfers() -> None:
    """Seal every waiting transfer. Safe to run twice, or on two machines."""
    now = turn_now(step=LONG_STEP)
    while sealing.seal_transfers(now=now, limit=SEAL_BATCH) == SEAL_BATCH:
        pass


# Acknowledged early: the broker would hand a task of several minutes to a second worker.
@shared_task(acks_late=False, soft_time_limit=PROOF_SECONDS, time_limit=PROOF_SECONDS + 60)
def prove_ledger() -> None:
    """Prove the ledger, if that is due. Safe to run twice: the second finds it claimed."""
    proving.prove_if_due(now=turn_now(step=LONG_STEP))
