"""Periodic tasks of the back office. Each may safely run twice, or on two machines."""

from celery import shared_task

from backoffice.figures import count_finished_days
from backoffice.interval_figures import count_intervals
from backoffice.retention import delete_old_sign_ins
from backoffice.services.decisions import expire_due
from backoffice.services.exports import delete_old, make_due
from backoffice.services.merchants import forget_uncollected
from backoffice.services.webhooks import continue_runs
from core.clock_check import task_now

EXPORT_SECONDS = 3_600


@shared_task
def count_days() -> int:
    return count_finished_days(now=task_now())


@shared_task
def count_latest() -> int:
    return count_intervals(now=task_now())


@shared_task
def expire_instructions() -> int:
    return expire_due(now=task_now())


@shared_task
def forget_uncollected_keys() -> int:
    return forget_uncollected(now=task_now())


# Acknowledged early: the broker would hand a task of several minutes to a second worker.
@shared_task(acks_late=False, soft_time_limit=EXPORT_SECONDS, time_limit=EXPORT_SECONDS + 60)
def make_exports() -> int:
    from backoffice.export_sources import content_of  # the pages, which a worker may not need

    return make_due(content_of=content_of, now=task_now())


@shared_task
def forget_exports() -> int:
    return delete_old(now=task_now())


@shared_task(name="backoffice.tasks.lapse_instructions")
def _expire_instructions_by_old_name() -> int:
    """Serve messages that an older release left in the broker."""
    return expire_due(now=task_now())


@shared_task
def resend_webhooks() -> int:
    return continue_runs(now=task_now())


@shared_task
def forget_sign_ins() -> int:
    return delete_old_sign_ins(now=task_now())
