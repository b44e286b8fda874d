"""Metrics of the background processes, collected when they are scraped.

Workers and dispatchers record their runs (`core.task_runs`), and beat its last tick; the broker
and the database are asked directly.
"""

import logging
import os
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db.models import Max
from django_celery_beat.models import PeriodicTask
from kombu import Connection
from kombu.exceptions import OperationalError

from config.environment import env
from config.schedule import SCHEDULE
from core.clock import utc_now
from core.database_away import reason_of, takes_changes
from core.latest_gauge import LatestGauge
from core.models import ProcessMark, TaskRun
from core.task_runs import DRILL

logger = logging.getLogger(__name__)

ANSWER_SECONDS = 1
ALIVE_WITHIN = timedelta(minutes=2)
KINDS = ("worker", "dispatcher")
SIGN_OF_LIFE = "payments-sign-of-life"

succeeded_at = LatestGauge(
    "task_succeeded_timestamp_seconds",
    "When a periodic task last succeeded, in seconds since 1970; 0: never.",
    ["task"],
)
failed_at = LatestGauge(
    "task_failed_timestamp_seconds",
    "When a periodic task last failed, in seconds since 1970; 0: never.",
    ["task"],
)
period = LatestGauge(
    "task_period_seconds",
    "The seconds between two starts of a periodic task.",
    ["task"],
)
drilled_at = LatestGauge(
    "restore_drilled_timestamp_seconds",
    "When a backup was last restored and verified, in seconds since 1970; 0: never.",
)
alive = LatestGauge(
    "background_processes_alive",
    "How many background processes have been seen in the last two minutes.",
    ["kind"],
)
background_errors = LatestGauge(
    "background_log_errors",
    "How many errors the background processes of the last day have logged since they started.",
    ["kind"],
)
ticked_at = LatestGauge(
    "beat_ticked_timestamp_seconds",
    "When beat last noted a tick, which it does every three minutes, since 1970; 0: never.",
)
broker_up = LatestGauge(
    "broker_up",
    "1 if the broker takes messages, or none is configured; otherwise 0.",
)
database_up = LatestGauge(
    "database_up",
    "1 if the database answers this web process and takes changes; otherwise 0.",
)


def collect_background() -> None:
    """Set the gauges of tasks, background processes and beat, from three small tables."""
    runs = {run.name: run for run in TaskRun.objects.all()}
    for name, periodic in SCHEDULE.items():
        run = runs.get(name, TaskRun())
        period.labels(name).set(periodic.seconds)
        succeeded_at.labels(name).set(_seconds(run.succeeded_at))
        failed_at.labels(name).set(_seconds(run.failed_at))
    drilled_at.set(_seconds(runs.get(DRILL, TaskRun()).succeeded_at))
    marks = list(ProcessMark.objects.all())
    for kind in KINDS:
        background_errors.labels(kind).set(sum(mark.errors for mark in marks if mark.kind == kind))
    _collect_signs_of_life(marks)


def _seconds(at: datetime | None) -> float:
    return at.timestamp() if at else 0


def _collect_signs_of_life(marks: list[ProcessMark]) -> None:
    """Set which processes are alive. Without a broker, `manage.py worker` is all of them.

    What a clock ahead of ours has written is no sign of life: it would be one for hours.
    """
    now, is_alone = utc_now(), not env("CELERY_BROKER_URL")
    latest = now + timedelta(seconds=settings.CLOCK_TOLERANCE_SECONDS)
    marks = [mark for mark in marks if mark.seen_at <= latest]
    for kind in KINDS:
        ours = [mark for mark in marks if is_alone or mark.kind == kind]
        alive.labels(kind).set(sum(mark.seen_at >= now - ALIVE_WITHIN for mark in ours))
    ticks = [mark.seen_at for mark in marks if is_alone]
    believable = PeriodicTask.objects.filter(last_run_at__lte=latest)
    if ticked := believable.aggregate(at=Max("last_run_at"))["at"]:
        ticks.append(ticked)
    ticked_at.set(_seconds(max(ticks, default=None)))


def collect_broker() -> None:
    """Set whether the broker takes messages, and log a line if not: each scrape asks anew."""
    url = env("CELERY_BROKER_URL")
    if not url:
        broker_up.set(1)
        return
    broker_up.set(0)
    limits = {"socket_timeout": ANSWER_SECONDS, "socket_connect_timeout": ANSWER_SECONDS}
    with Connection(url, connect_timeout=ANSWER_SECONDS, transport_options=limits) as broker:
        try:
            _send_sign_of_life(broker)
        except broker.connection_errors + broker.channel_errors + (OperationalError,) as error:
            logger.warning("broker not measured: %s", reason_of(error))
        else:
            broker_up.set(1)


def _send_sign_of_life(broker: Connection) -> None:
    """Write to the broker: a full Redis, or a read-only one, only answers."""
    broker.ensure_connection(max_retries=1, timeout=ANSWER_SECONDS)
    channel = broker.default_channel  # opening it asks the broker for a sign of life
    if client := getattr(channel, "client", None):
        client.set(SIGN_OF_LIFE, 1, ex=60)


def collect_database() -> None:
    """Set whether the database answers and takes changes. Raises what it fails with."""
    database_up.set(0)
    database_up.set(takes_changes())


def forget_ended_processes() -> None:
    """Delete the files that ended web processes left in `PROMETHEUS_MULTIPROC_DIR`."""
    folder = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
    for file in Path(folder).glob("gauge_*.db") if folder else ():
        try:
            os.kill(int(file.stem.rpartition("_")[2]), 0)
        except (ProcessLookupError, PermissionError):  # ended; or its id is now another user's
            file.unlink(missing_ok=True)
