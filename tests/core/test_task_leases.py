"""One process at a time is at a task."""

from contextlib import ExitStack
from datetime import timedelta

import pytest

from core.clock import utc_now
from core.task_runs import exclusive_run

pytestmark = pytest.mark.django_db


def test_a_process_whose_lease_is_over_does_not_end_that_of_the_next() -> None:
    now = utc_now()
    later = now + timedelta(minutes=1)
    with ExitStack() as second:
        with exclusive_run("a task", now=now):
            assert second.enter_context(exclusive_run("a task", now=later))
        with exclusive_run("a task", now=later) as is_ours:
            assert not is_ours
