"""Periodic tasks of payments. Each may safely run twice, or on two machines at once."""

import time

from celery import shared_task

from core.clock_check import LONG_STEP, task_now
from payments.expiry import BATCH, expire_due, settle_due

TURN_SECONDS = 10  # half of the time limit of a task


@shared_task
def expire_payments() -> int:
    now, ends_at, expired = task_now(), time.monotonic() + TURN_SECONDS, BATCH
    total = 0
    while expired == BATCH and time.monotonic() < ends_at:
        expired = expire_due(now=now)
        total += expired
    return total


@shared_task
def settle_payments() -> int:
    return settle_due(now=task_now(step=LONG_STEP))
