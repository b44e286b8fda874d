"""The periodic work of the checkout."""

from celery import shared_task

from checkout.logos import read_due_logos, read_wanted_logos
from checkout.retention import delete_old_attempts
from core.clock_check import LONG_STEP, task_now


@shared_task
def read_logos() -> int:
    """Read merchants' logos that are new, changed or old, or wait for approval."""
    now = task_now(step=LONG_STEP)
    return read_due_logos(now=now) + read_wanted_logos(now=now)


@shared_task
def forget_attempts() -> int:
    """Delete verification attempts whose period is over."""
    return delete_old_attempts(now=task_now())
