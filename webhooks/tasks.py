"""The periodic tasks of webhooks; one is the dispatcher's tick."""

from celery import shared_task

from core.clock_check import task_now
from webhooks.delivery import polling  # noqa: F401  # starts polling in a Celery worker
from webhooks.delivery.dispatcher import send_due_deliveries
from webhooks.delivery.future_dates import correct_future_dates
from webhooks.redelivery import close_undeliverable, continue_recoveries
from webhooks.retention import delete_old_deliveries, delete_old_outages


@shared_task
def send_webhooks() -> int:
    """Wake the dispatcher of this process: it sends what is due."""
    return send_due_deliveries()


@shared_task
def tidy_webhooks() -> int:
    """Continue recoveries; correct future dates; close deliveries that will never be sent."""
    now = task_now()
    continued = continue_recoveries(now=now) + correct_future_dates(now=now)
    return continued + close_undeliverable(now=now)


@shared_task
def forget_deliveries() -> int:
    """Delete deliveries and outages whose retention period is over, some at a time."""
    now = task_now()
    return delete_old_deliveries(now=now) + delete_old_outages(now=now)
