"""Ticks of a clock that has leapt, and the tasks that must not act on them."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import time_machine

from config.schedule import SCHEDULE
from core.clock import utc_now

WITHOUT_CLOCK = {
    "core.tasks.fold_counts",
    "links.tasks.count_uses",
    "payouts.tasks.gather_movements",
}
BY_DATABASE = {"webhooks.tasks.send_webhooks"}  # the dispatcher reads it for each claim
BY_CLOCK = sorted({periodic.task for periodic in SCHEDULE.values()} - WITHOUT_CLOCK - BY_DATABASE)
WILD = [timedelta(days=400), timedelta(days=-400), timedelta(days=2), timedelta(hours=-2)]


@contextmanager
def off_by(difference: timedelta) -> Iterator[None]:
    with time_machine.travel(utc_now() + difference, tick=False):
        yield
