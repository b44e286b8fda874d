"""Periodic work on payments. Each may run twice, or on two machines, and do no harm."""

from celery import shared_task

from core.clock_check import LONG_STEP, turn_now
from payments.expiry import expire_due, settle_due


@shared_task
def expire_payments() -> int:
    return expire_due(now=turn_now())


@shared_task
def settle_payments() -> int:
    return settle_due(now=turn_now(step=LONG_STEP))
