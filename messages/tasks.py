"""Periodic work on messages. May run twice, or on two machines, and do no harm."""

from celery import shared_task

from core.clock_check import LONG_STEP, task_now
from core.task_runs import exclusive_run
from messages.models import Message
from messages.planning import bring_forward
from messages.retention import delete_old_messages
from messages.send_loop import send_due_messages


@shared_task
def send_messages() -> int:
    """Send what is due, in one process: hanging servers would tie up one more with each tick."""
    now = task_now(step=LONG_STEP)
    bring_forward(now=now)
    if not Message.objects.due(now).exists():
        return 0
    with exclusive_run("send messages", now=now) as is_ours:
        return send_due_messages(now=now) if is_ours else 0


@shared_task
def forget_messages() -> int:
    """Delete messages whose retention period is over."""
    return delete_old_messages(now=task_now())
