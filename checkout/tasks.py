"""The periodic work of the checkout."""

from celery import shared_task

from checkout.logos import read_due_logos
from core.clock import utc_now


@shared_task
def read_logos() -> int:
    """Read merchants' logos that are new, changed or old."""
    return read_due_logos(now=utc_now())
