"""Periodic work on refunds. Each may run twice, or on two machines, and do no harm."""

from celery import shared_task

from core.clock import utc_now
from refunds.retrying import retry_pending


@shared_task
def retry_refunds() -> int:
    return retry_pending(now=utc_now())
