"""What staff have asked for about an object: what waits for approval, and what was declined."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from backoffice.formats import clock, money
from backoffice.models import Instruction
from backoffice.services.instruction_kinds import TASKS
from backoffice.statuses import InstructionStatus

SAID_FOR = timedelta(days=7)
SHOWN = 5


def requests_about(subject_id: str, now: datetime) -> Iterator[str]:
    """Yield a sentence for each request that waits, and each that was declined in a week."""
    recent = Instruction.objects.filter(subject_id=subject_id, asked_at__gt=now - SAID_FOR)
    said = recent.filter(status__in=[InstructionStatus.WAITING, InstructionStatus.DECLINED])
    rows = said.select_related("asked_by", "decided_by").order_by("-status", "-pk")[:SHOWN]
    yield from filter(None, (_sentence(row, now) for row in rows))


def request_title(instruction: Instruction) -> str:
    """Return what was asked for, with its amount."""
    title = TASKS[instruction.task].title
    if not instruction.amount:
        return title
    return f"{title} of {money(instruction.amount, instruction.currency)}"


def _sentence(instruction: Instruction, now: datetime) -> str:
    what = f"{request_title(instruction)}, requested by {instruction.asked_by.get_username()}"
    if instruction.status_at(now) == InstructionStatus.WAITING:
        asked = clock(instruction.asked_at, now)
        return f"{what} {asked}, waits for a colleague's approval: nothing has moved yet."
    if instruction.status != InstructionStatus.DECLINED or instruction.decided_at is None:
        return ""
    by = f" by {instruction.decided_by.get_username()}" if instruction.decided_by else ""
    note = f": {instruction.decision_note}" if instruction.decision_note else ""
    return f"{what}, was declined {clock(instruction.decided_at, now)}{by}{note}"
