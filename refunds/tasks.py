"""Periodic tasks of refunds. Each may safely run twice, or on two machines at once."""

from celery import shared_task

from core.clock_check import task_now
from refunds.retrying import retry_pending


@shared_task
def retry_refunds() -> int:
    return retry_pending(now=task_now())
