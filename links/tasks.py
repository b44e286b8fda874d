"""The periodic work on links."""

from celery import shared_task

from core.clock_check import task_now
from links.expiry import expire_due
from links.uses import count_fresh_uses


@shared_task
def expire_links() -> int:
    """End the links whose time has passed."""
    return expire_due(now=task_now())


@shared_task
def count_uses() -> int:
    """Bring the counts of unlimited links up to date."""
    return count_fresh_uses()
