"""A clock that stands still, so that no test depends on how quick the machine is.

Only the service itself moves it: each time it asks `core/clock.py` it is told a millisecond later,
and what is made later is later. Timeouts and waits go by the monotonic clock, which runs; what a
visitor has spent comes back by it, and does not meanwhile.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, tzinfo
from types import SimpleNamespace
from unittest import mock

import time_machine

from core.clock import utc_now

# A Wednesday afternoon on which nothing ends, begins or is put forward; it stays in the past of
# the clocks that cannot be stopped, such as that of PostgreSQL.
INSTANT = datetime(2026, 3, 18, 15, 4, 5, 678_000, tzinfo=UTC)
STEP_SECONDS = 0.001


@contextmanager
def standing_still(at: datetime = INSTANT) -> Iterator[None]:
    """Stop the clock of this process."""
    with time_machine.travel(at, tick=False) as traveller:

        class Stepping(datetime):
            @classmethod
            def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]  # no subclass
                traveller.shift(STEP_SECONDS)
                return datetime.now(tz)

        with (
            mock.patch("core.clock.datetime", Stepping),
            # The database's own clock runs: what goes by it would be far from what stands still.
            mock.patch("core.clock_check.database_now", utc_now),
            # What a visitor has spent would come back while a test waits for a processor.
            mock.patch("core.visitor_budget.time", SimpleNamespace(monotonic=lambda: 1_000.0)),
        ):
            yield
