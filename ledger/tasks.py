"""The periodic work of the ledger."""

from celery import shared_task

from core.clock_check import LONG_STEP, task_now
from ledger import proving, sealing, whole_proof
from ledger.checkpoints import sign_head
from ledger.sealing import SEAL_BATCH
from ledger.witnesses import inform_witnesses

PROOF_SECONDS = 3_600
WITNESS_SECONDS = 300


@shared_task
def seal_transfers() -> None:
    """Seal every waiting transfer, log every signed row. Safe to run twice, or on two machines."""
    now = task_now(step=LONG_STEP)
    while sealing.seal_transfers(now=now, limit=SEAL_BATCH) == SEAL_BATCH:
        pass
    while sealing.log_rows(now=now, limit=SEAL_BATCH) == SEAL_BATCH:
        pass


@shared_task(acks_late=False, soft_time_limit=WITNESS_SECONDS, time_limit=WITNESS_SECONDS + 30)
def sign_checkpoint() -> None:
    """Sign the head of the log and hand it to the witnesses. Safe to run twice."""
    now = task_now(step=LONG_STEP)
    sign_head(now=now)
    inform_witnesses(now=now)


# Acknowledged early: otherwise the broker gives a task of several minutes to a second worker.
@shared_task(acks_late=False, soft_time_limit=PROOF_SECONDS, time_limit=PROOF_SECONDS + 60)
def prove_ledger() -> None:
    """Prove what is new, and some of the rest, if that is due.

    Safe to run twice: the second finds it claimed.
    """
    now = task_now(step=LONG_STEP)
    proving.prove_if_due(now=now)
    whole_proof.prove_slice_if_due(now=now)
