"""Periodic work on messages. May run twice, or on two machines, and do no harm."""

from celery import shared_task

from core.clock_check import LONG_STEP, turn_now
from messages.retention import delete_old_messages
from messages.send_loop import send_due_messages


@shared_task
def send_messages() -> int:
    return send_due_messages(now=turn_now(step=LONG_STEP))


@shared_task
def forget_messages() -> int:
    """Delete messages whose period is over."""
    return delete_old_messages(now=turn_now())
