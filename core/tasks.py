"""Periodic work on what every resource shares."""

from celery import shared_task

from core import counts
from core.clock_check import task_now
from core.idempotency import RETENTION, delete_expired_keys


@shared_task
def forget_idempotency_keys() -> int:
    return delete_expired_keys(before=task_now() - RETENTION)


@shared_task
def fold_counts() -> None:
    """Fold new entries into the kept counts. May run twice: each run takes other entries."""
    while counts.fold_changes() == counts.BATCH:
        pass
