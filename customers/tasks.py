"""Periodic work on customers. May run twice, or on two machines, and do no harm."""

from celery import shared_task

from core.clock_check import LONG_STEP, task_now
from customers.retention import delete_expired
from customers.services import refill_test_wallets


@shared_task
def forget_expired_proofs() -> int:
    """Delete codes, challenges, counts and sessions that ended long ago."""
    return delete_expired(now=task_now())


@shared_task
def refill_wallets() -> int:
    """Refill wallets of test customers that run low."""
    return refill_test_wallets(now=task_now(step=LONG_STEP))
