"""The schedule, at any time, twice, or by a clock that is wrong."""

from collections.abc import Callable
from datetime import timedelta

from django.utils.module_loading import import_string

from config.schedule import SCHEDULE
from core.clock_check import accept_clock
from payouts.scheduling import schedule_due
from tests.simulation.payout_trail import follow_payouts, follow_refunds, note_payable
from tests.simulation.virtual_weeks import VirtualWeeks

QUIET = (
    *("seal transfers", "expire payments", "gather movements", "expire instructions"),
    *("send payouts", "fold counts", "count link uses", "forget idempotency keys"),
)
NEEDED = ("seal transfers", "expire payments", "expire instructions")
WILDEST_DAYS = 400


def tick_quietly(weeks: VirtualWeeks) -> None:
    """Run what moves no money: any of it, now and then twice at once."""
    _run(weeks, weeks.random.choice(QUIET))


def tick_needed(weeks: VirtualWeeks) -> None:
    """Run what nothing may wait long for."""
    for name in NEEDED:
        _run(weeks, name)
    retry_refunds(weeks)


def retry_refunds(weeks: VirtualWeeks) -> None:
    _run(weeks, "retry refunds")
    follow_refunds(weeks)


def schedule_payouts(weeks: VirtualWeeks) -> None:
    _run(weeks, "schedule payouts")
    follow_payouts(weeks)
    note_payable(weeks)


def _run(weeks: VirtualWeeks, name: str) -> None:
    task: Callable[[], int] = import_string(SCHEDULE[name].task)
    weeks.note(name)
    for _ in range(weeks.random.choice((1, 1, 1, 2))):
        weeks.tick()
        accept_clock()  # the virtual worker has had its turns in the hours that were left out
        weeks.survive(task)
        if weeks.faulty:  # a sweep goes on without the row that failed: the next turn has it
            task()


def tick_wildly(weeks: VirtualWeeks) -> None:
    """A clock that is wrong by hours or years runs the schedule of payouts.

    It is called below the check of the clock: what such a tick does if nothing holds it back.
    """
    if weeks.wild_clocks:
        off = timedelta(days=weeks.random.randint(1, WILDEST_DAYS))
        schedule_due(now=weeks.tick() + off)
        weeks.note(f"{off.days} days ahead")
        follow_payouts(weeks)
