"""The periodic work of the checkout."""

from celery import shared_task

from checkout import logos
from checkout.retention import delete_old_attempts
from core.clock_check import LONG_STEP, task_now


@shared_task
def read_logos() -> int:
    """Read merchants' logos that are new, changed or old."""
    return logos.read_due_logos(now=task_now(step=LONG_STEP))


@shared_task
def read_wanted_logos() -> int:
    """Read the logos that wait for approval: slow hosts of strangers do not hold these up."""
    return logos.read_wanted_logos(now=task_now(step=LONG_STEP))


@shared_task
def forget_attempts() -> int:
    """Delete verification attempts whose period is over."""
    return delete_old_attempts(now=task_now())
