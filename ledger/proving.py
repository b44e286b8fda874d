"""Prove what is new on schedule: everything after the last signed head that was proven.

That takes as long as there is new to read, at any size of the ledger. The proof of everything
(`ledger/whole_proof.py`) reads what is older again.
"""

import time
from datetime import datetime, timedelta
from itertools import islice

import structlog
from django.db.models import Max, Q, QuerySet

from core.signatures import is_signed, sign
from ledger.checkpoints import newest_checkpoint
from ledger.models import Proof, Seal
from ledger.proof_marks import ProvenUpTo
from ledger.proof_parts import recent_parts

INTERVAL = timedelta(minutes=5)
REST_FACTOR = 9  # the rest lasts this many times as long as the proof
LEASE = timedelta(hours=1)  # after which an interrupted proof is started again
MAX_POSTPONEMENT = LEASE * (2 + REST_FACTOR)  # a proof put off for longer was tampered with
MAX_PROBLEMS = 10

logger = structlog.get_logger(__name__)


def prove_if_due(*, now: datetime) -> bool | None:
    """Prove what is new if it is due and unclaimed; return whether it is right.

    Each wrong row, up to ten, is logged as an error. None means that it was not due.
    """
    if not claim("due_at", now):
        return None
    proof, began = proof_row().get(), time.monotonic()
    proof_row().update(started_at=now)
    try:
        leaves, sequence = _signed_head()
        problems = _prove_from(proof, leaves, sequence)
    except Exception:
        proof_row().update(due_at=now + INTERVAL)  # no result: retry soon
        raise
    took = timedelta(seconds=time.monotonic() - began)
    proof.ended_at, proof.due_at = now + took, max(now + INTERVAL, now + took * (1 + REST_FACTOR))
    fields = ["ended_at", "due_at", "since"]
    if problems:  # a clean result does not clear an earlier problem
        proof.problem = problems[0]
        fields.append("problem")
    else:
        proof.leaves, proof.sequence = leaves, sequence
        proof.mark = sign(_recorded(proof))
        fields += ["leaves", "sequence", "mark"]
    proof.save(update_fields=fields)
    return not problems


def _signed_head() -> tuple[int, int]:
    """Return the number of leaves in the newest signed head, and the newest seal."""
    head = newest_checkpoint()
    seal: int = Seal.objects.aggregate(newest=Max("sequence", default=0))["newest"]
    return head.size if head else 0, seal


def _prove_from(proof: Proof, leaves: int, newest: int) -> list[str]:
    """Prove everything after the last proven head, or after the newest head if there is none."""
    proof.since, sequence = proof.leaves, proof.sequence
    if not is_signed(proof.mark, _recorded(proof)):
        proof.since, sequence = leaves, newest
        if proof.mark:
            logger.error("proof_record_changed", leaves=proof.leaves)
    found = (
        each
        for part in recent_parts(leaf=proof.since, seal=sequence)
        for each in part.run("")
        if not isinstance(each, ProvenUpTo)
    )
    problems = list(islice(found, MAX_PROBLEMS))
    report(problems)
    logger.info("ledger_proven", right=not problems, since=proof.since, leaves=leaves)
    return problems


def report(problems: list[str]) -> None:
    """Log each wrong row as an error."""
    for problem in problems:
        logger.error("ledger_wrong", problem=problem)


def _recorded(proof: Proof) -> tuple[object, ...]:
    return ("ledger_proof", proof.leaves, proof.sequence)


def claim(column: str, now: datetime) -> bool:
    """Claim a proof that is due, or that was put off by tampering; return whether it is ours."""
    Proof.objects.get_or_create(pk=Proof.ONLY, defaults={"due_at": now})
    late = (
        Q(**{column: None})
        | Q(**{f"{column}__lte": now})
        | Q(**{f"{column}__gt": now + MAX_POSTPONEMENT})
    )
    return bool(proof_row().filter(late).update(**{column: now + LEASE}))


def proof_row() -> QuerySet[Proof]:
    """Return the query for the one row."""
    return Proof.objects.filter(pk=Proof.ONLY)
