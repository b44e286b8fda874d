"""Metrics of what staff do without a second person, computed at each scrape."""

from backoffice.models import Instruction
from backoffice.statuses import InstructionStatus
from core.latest_gauge import LatestGauge

broken = LatestGauge(
    "staff_glass_broken",
    "How many staff requests will go ahead without a second person unless someone declines.",
)


def collect() -> None:
    waiting = Instruction.objects.filter(status=InstructionStatus.WAITING)
    broken.set(waiting.exclude(glass_broken_at=None).count())
