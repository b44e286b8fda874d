"""Prove the ledger on schedule: its sums and what is new, for at most a tenth of the time.

Every signed row is read again, too, as soon as that takes at most another tenth.
"""

import time
from datetime import datetime, timedelta
from itertools import islice

import structlog
from django.db.models import Q, QuerySet

from ledger.integrity import figures, verify
from ledger.log_tree import log_size
from ledger.models import Proof
from ledger.snapshot import snapshot

INTERVAL = timedelta(minutes=5)
REST_FACTOR = 9  # times as long as the proof itself took
LEASE = timedelta(hours=1)  # after which an interrupted proof is started again
LATEST = LEASE * (2 + REST_FACTOR)  # nothing puts a proof off for longer, but another hand
MAX_PROBLEMS = 10

logger = structlog.get_logger(__name__)


def prove_if_due(*, now: datetime) -> bool | None:
    """Prove the ledger if that is due and no other process is at it; return whether all is right.

    Each wrong row, up to ten, is logged as an error. None means that it was not due.
    """
    if not _claim(now):
        return None
    proof, began = _row().get(), time.monotonic()
    is_whole = _is_due(proof.whole_due_at, now)
    if is_whole:  # one that breaks off is not begun again and again: others come in between
        _row().update(whole_due_at=now + LEASE)
    try:
        leaves, problems = _prove(since=0 if is_whole else proof.leaves)
    except Exception:
        _row().update(due_at=now + INTERVAL)  # no result: retry soon
        raise
    took = timedelta(seconds=time.monotonic() - began)
    rested_at = now + took * (1 + REST_FACTOR)
    if is_whole:
        proof.whole_due_at = rested_at
    if not problems:
        proof.leaves = leaves
    if problems or is_whole:  # what is new does not put right what was wrong before
        proof.problem = problems[0] if problems else ""
    proof.ended_at = now + took
    proof.due_at = now + took + INTERVAL if is_whole else max(now + INTERVAL, rested_at)
    proof.save(update_fields=["whole_due_at", "leaves", "problem", "ended_at", "due_at"])
    return not problems


def _prove(*, since: int) -> tuple[int, list[str]]:
    """Return how many leaves the log had before, and what is wrong."""
    with snapshot():
        found, leaves = figures(), log_size()
    problems = list(islice(verify(progress=_no_progress, since=since), MAX_PROBLEMS))
    for problem in problems:
        logger.error("ledger_wrong", problem=problem)
    logger.info(
        "ledger_proven",
        right=not problems,
        sequence=found.sequence,
        hash=found.hash,
        leaves=leaves,
        since=since,
    )
    return leaves, problems


def _is_due(at: datetime | None, now: datetime) -> bool:
    """Return whether it is time; nothing of ours puts a proof off for longer than LATEST."""
    return at is None or at <= now or at > now + LATEST


def _claim(now: datetime) -> bool:
    Proof.objects.get_or_create(pk=Proof.ONLY, defaults={"due_at": now})
    late = Q(due_at__lte=now) | Q(due_at__gt=now + LATEST)
    return bool(_row().filter(late).update(started_at=now, due_at=now + LEASE))


def _row() -> QuerySet[Proof]:
    return Proof.objects.filter(pk=Proof.ONLY)


def _no_progress(done: int, total: int) -> None:
    pass
