"""The periodic work on webhooks, and the senders' own clock."""

from celery import shared_task

from core.clock import utc_now
from webhooks.alerts import send_due_alerts
from webhooks.delivery import polling  # noqa: F401  # starts the senders' own clock in a Celery worker
from webhooks.delivery.dispatcher import send_due_deliveries
from webhooks.redelivery import close_undeliverable, continue_recoveries


@shared_task
def send_webhooks() -> int:
    """Wake the senders of this process: they send what is due."""
    return send_due_deliveries()


@shared_task
def tidy_webhooks() -> int:
    """Put back on its way what should be sent again; end what will not be sent at all."""
    at = utc_now()
    return continue_recoveries(now=at) + close_undeliverable(now=at)


@shared_task
def send_webhook_alerts() -> int:
    """Mail merchants whose endpoints fail."""
    return send_due_alerts(now=utc_now())
