"""Periodic work of the back office. Each may run twice, or on two machines, and do no harm."""

from celery import shared_task

from backoffice.figures import count_finished_days
from backoffice.services.instructions import expire_due
from backoffice.services.webhooks import continue_runs
from core.clock_check import turn_now


@shared_task
def count_days() -> int:
    return count_finished_days(now=turn_now())


@shared_task
def expire_instructions() -> int:
    return expire_due(now=turn_now())


@shared_task(name="backoffice.tasks.lapse_instructions")
def _expire_instructions_by_old_name() -> int:
    """Serve the messages that an older release left in the broker."""
    return expire_due(now=turn_now())


@shared_task
def resend_webhooks() -> int:
    return continue_runs(now=turn_now())
