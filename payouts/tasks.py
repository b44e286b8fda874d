"""The periodic work on payouts."""

from celery import shared_task

from core.clock_check import LONG_STEP, task_now
from payouts import account_statements, gathering, scheduling, sending
from payouts.retention import delete_old_statements


@shared_task
def schedule_payouts() -> int:
    """Pay out each merchant whose day, week or month has come."""
    return scheduling.schedule_due(now=task_now())


@shared_task
def send_payouts() -> int:
    """Send due payouts, and poll those in transit."""
    sent = sending.send_due(now=task_now())
    return sent + sending.fetch_results(now=task_now())  # sending may have taken minutes


@shared_task
def make_statements() -> int:
    """Continue with the statements that merchants have requested."""
    return account_statements.make_due(now=task_now(step=LONG_STEP))


@shared_task
def forget_statements() -> int:
    return delete_old_statements(now=task_now())


@shared_task
def gather_movements() -> int:
    """Gather the movements of busy accounts ahead of their payouts."""
    return gathering.gather_ahead()
