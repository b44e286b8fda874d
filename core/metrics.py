"""Metrics of the clocks that periodic work relies on, collected when they are scraped."""

from typing import Final

from prometheus_client import Gauge

from core.clock_check import seconds_off
from core.latest_gauge import LatestGauge
from core.models import TurnMark

# Each process reports its own value, for as long as it lives.
OF_EACH: Final = "liveall"

offset = Gauge(
    "clock_offset_seconds",
    "How far the clock of this web process is ahead of the database's.",
    multiprocess_mode=OF_EACH,
)
refused_at = LatestGauge(
    "clock_refused_timestamp_seconds",
    "When periodic work was last refused for a wrong clock, in seconds since 1970; 0: never.",
)


def collect() -> None:
    """Set the gauges, from one row."""
    offset.set(seconds_off())
    mark = TurnMark.objects.filter(pk=TurnMark.ONLY, refused_at__isnull=False).first()
    refused_at.set(mark.refused_at.timestamp() if mark and mark.refused_at else 0)
