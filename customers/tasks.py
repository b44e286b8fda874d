"""Periodic work on customers. May run twice, or on two machines, and do no harm."""

from celery import shared_task

from core.clock import now
from customers.forgetting import forget_expired


@shared_task
def forget_expired_proofs() -> int:
    """Delete codes, challenges, counts and sessions that ended long ago."""
    return forget_expired(now=now())
