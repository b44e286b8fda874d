"""The Celery app of production. The broker is no source of truth: it only carries ticks.

What is due is in the database, so a lost message costs one tick, and a repeated one nothing.
"""

import os
import sys
from typing import Any

import structlog
from celery import Celery, Task
from celery.signals import (
    beat_init,
    setup_logging,
    task_failure,
    task_postrun,
    task_prerun,
    task_success,
    worker_init,
)
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, InterfaceError, connections

from config.environment import env
from config.schedule import SCHEDULE
from core.clock import ClockRefused
from core.database_away import is_away, reason_of

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

VISIBILITY_SECONDS = 120

logger = structlog.get_logger(__name__)


def beat_schedule() -> dict[str, dict[str, Any]]:
    """Return the schedule in beat's format; a tick that is not consumed in time expires."""
    return {
        name: {
            "task": periodic.task,
            "schedule": periodic.seconds,
            "options": {"expires": max(periodic.seconds, 10)},
        }
        for name, periodic in SCHEDULE.items()
    }


NAMES = {periodic.task: name for name, periodic in SCHEDULE.items()}


class NoDatabase(Exception):  # no Error: the task is not at fault
    """The database did not answer; the next turn does the work."""


class PeriodicWork(Task[..., Any]):
    """A task whose expected failures are not logged as its errors.

    ClockRefused has raised its own alarm; of a database that is away, each turn of each task would
    log the same traceback.
    """

    throws = (ClockRefused, NoDatabase)

    def __call__(self, *args: Any, **options: Any) -> Any:
        try:
            return super().__call__(*args, **options)
        except (InterfaceError, DatabaseError) as error:
            if not is_away(error):
                raise
            reason = reason_of(error)
            logger.warning("task_without_database", task=self.name, reason=reason)
            raise NoDatabase(reason) from None


app = Celery("payments", task_cls=PeriodicWork)
app.conf.update(
    broker_url=env("CELERY_BROKER_URL") or "memory://",
    broker_connection_retry_on_startup=True,
    # A Redis that is full or a replica refuses: a dispatcher that ended would not even poll.
    broker_channel_error_retry=True,
    # After this time, a dead worker's message is redelivered; no task may wait longer.
    broker_transport_options={"visibility_timeout": VISIBILITY_SECONDS},
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_ignore_result=True,
    task_serializer="json",
    accept_content=["json"],
    task_soft_time_limit=20,
    task_time_limit=30,
    task_default_queue="default",
    task_routes={"webhooks.tasks.*": {"queue": "webhooks"}},
    worker_prefetch_multiplier=1,
    timezone="UTC",
    beat_schedule=beat_schedule(),
    beat_scheduler="config.beat:SteadyScheduler",
    beat_max_loop_interval=1,
    # Celery would close each process's pool before and after every task, with its connections.
    CELERY_DB_REUSE_MAX=sys.maxsize,
)
app.autodiscover_tasks()


@setup_logging.connect
def keep_our_logging(**_: object) -> None:
    """Keep the logging of the settings, which Celery would replace."""


@worker_init.connect
def end_failed_acknowledgments(**_: object) -> None:
    """Have a worker go on fetching after it has lost some of its connections to Redis."""
    from kombu.transport import redis  # no other process needs it

    from config.acknowledgments import FreedQoS

    redis.Channel.QoS = FreedQoS


@task_prerun.connect
@task_postrun.connect
def give_back_connections(sender: Task[..., Any], **_: object) -> None:
    """Give connections back to the pool, which rolls back what one of them has left open.

    Before a task too: what is broken by then is replaced. An eager task shares its caller's.
    """
    if not sender.request.is_eager:
        connections.close_all()


@task_success.connect
def note_success(sender: Task[..., Any], **_: object) -> None:
    _note_run(sender, succeeded=True)


@task_failure.connect
def note_failure(sender: Task[..., Any], **_: object) -> None:
    _note_run(sender, succeeded=False)


def _note_run(task: Task[..., Any], *, succeeded: bool) -> None:
    from core.task_runs import recorder

    if task.name in NAMES:
        recorder.note(NAMES[task.name], succeeded=succeeded)
        recorder.write("dispatcher" if task.name.startswith("webhooks.") else "worker")


@beat_init.connect
def forget_removed_tasks(**_: object) -> None:
    """Delete the entries of tasks that no longer exist in the code.

    The table keeps former entries of the schedule, and each of their ticks would log an error.
    """
    from django_celery_beat.models import PeriodicTask

    PeriodicTask.objects.exclude(task__in=list(app.tasks)).delete()


@worker_init.connect
@beat_init.connect
def refuse_unsafe_start(**_: object) -> None:
    """Exit if the process must not start. Celery only logs exceptions of this, and goes on.

    So does whatever else the checks fail with: what they have not found safe does not start.
    """
    from config.start_checks import check_start

    try:
        check_start()
    except Exception as error:
        has_said_all = isinstance(error, ImproperlyConfigured)
        logger.critical("start_refused", reason=str(error), exc_info=not has_said_all)
        sys.exit(1)
