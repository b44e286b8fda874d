"""What staff have asked for about an object: what waits for approval, and what was declined."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db.models import Q

from backoffice.formats import clock
from backoffice.models import Instruction
from backoffice.services.instruction_kinds import title_of
from backoffice.statuses import InstructionStatus

SAID_FOR = timedelta(days=7)
SHOWN = 5
_OUTCOMES = {
    InstructionStatus.CARRIED_OUT: "was approved and carried out",
    InstructionStatus.DECLINED: "was declined",
    InstructionStatus.WITHDRAWN: "was withdrawn",
    InstructionStatus.EXPIRED: "expired, and nothing was done: no one had decided by",
}


def requests_about(public_id: str, now: datetime) -> Iterator[str]:
    """Yield a sentence for each request that waits, and each that was declined in a week."""
    about = Q(subject_id=public_id)
    if public_id.startswith("ben_"):  # what it is matched with is the subject
        about |= Q(arguments__entry=public_id)
    recent = Instruction.objects.filter(about, asked_at__gt=now - SAID_FOR)
    said = recent.filter(status__in=[InstructionStatus.WAITING, InstructionStatus.DECLINED])
    rows = said.select_related("asked_by", "decided_by").order_by("-status", "-pk")[:SHOWN]
    yield from filter(None, (_sentence(row, now) for row in rows))


def _sentence(instruction: Instruction, now: datetime) -> str:
    what = f"{title_of(instruction)}, requested by {instruction.asked_by.get_username()}"
    if instruction.status_at(now) == InstructionStatus.WAITING:
        asked = clock(instruction.asked_at, now)
        return f"{what} {asked}, waits for a colleague's approval: nothing has moved yet."
    is_declined = instruction.status == InstructionStatus.DECLINED
    return f"{what}, {outcome_words(instruction, now)}" if is_declined else ""


def outcome_words(instruction: Instruction, now: datetime) -> str:
    """Say what became of a request that no longer waits: the end of a sentence."""
    by, note = instruction.decided_by, instruction.decision_note
    status = instruction.status_at(now)
    is_expired = status == InstructionStatus.EXPIRED
    at = clock(instruction.lapses_at if is_expired else instruction.decided_at, now)
    words = f"{_OUTCOMES[status]} {at}" + (f" by {by.get_username()}" if by else "")
    if status == InstructionStatus.CARRIED_OUT and by is None:
        words = f"was carried out {at} without a second person"
    return f"{words}: {note.rstrip('.')}." if note else f"{words}."
