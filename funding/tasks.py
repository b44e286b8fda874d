"""Periodic tasks of top-ups. Each may safely run twice, or on two machines at once."""

from celery import shared_task

from core.clock_check import task_now
from funding import collecting


@shared_task
def collect_top_ups() -> int:
    """Credit what has arrived, and continue the payments that waited for it."""
    now = task_now()
    return collecting.collect_results(now=now) + collecting.follow_up_due(now=now)


@shared_task
def expire_top_ups() -> int:
    """Expire top-ups whose money has not come in time."""
    return collecting.expire_due(now=task_now())
