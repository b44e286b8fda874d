"""Prove the ledger on schedule, for at most a tenth of the time."""

import time
from datetime import datetime, timedelta
from itertools import islice

import structlog
from django.db.models import Q, QuerySet

from ledger.integrity import figures, verify
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
    began = time.monotonic()
    try:
        problems = _prove()
    except Exception:
        _row().update(due_at=now + INTERVAL)  # no result: retry soon
        raise
    took = timedelta(seconds=time.monotonic() - began)
    _row().update(
        ended_at=now + took,
        due_at=max(now + INTERVAL, now + took * (1 + REST_FACTOR)),
        problem=problems[0] if problems else "",
    )
    return not problems


def _prove() -> list[str]:
    with snapshot():
        found = figures()
    problems = list(islice(verify(progress=_no_progress), MAX_PROBLEMS))
    for problem in problems:
        logger.error("ledger_wrong", problem=problem)
    logger.info("ledger_proven", right=not problems, sequence=found.sequence, hash=found.hash)
    return problems


def _claim(now: datetime) -> bool:
    Proof.objects.get_or_create(pk=Proof.ONLY, defaults={"due_at": now})
    late = Q(due_at__lte=now) | Q(due_at__gt=now + LATEST)
    return bool(_row().filter(late).update(started_at=now, due_at=now + LEASE))


def _row() -> QuerySet[Proof]:
    return Proof.objects.filter(pk=Proof.ONLY)


def _no_progress(done: int, total: int) -> None:
    pass
