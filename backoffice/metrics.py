"""Metrics of what staff do without a second person, computed at each scrape."""

from prometheus_client import Gauge

from backoffice.models import Instruction
from backoffice.statuses import InstructionStatus
from core.metrics import MOST_RECENT

broken = Gauge(
    "staff_glass_broken",
    "How many staff requests will go ahead without a second person unless someone declines.",
    multiprocess_mode=MOST_RECENT,
)


def collect() -> None:
    waiting = Instruction.objects.filter(status=InstructionStatus.WAITING)
    broken.set(waiting.exclude(glass_broken_at=None).count())
