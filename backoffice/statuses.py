"""The statuses of an instruction, and every transition between them."""

from django.db.models import TextChoices


class InstructionStatus(TextChoices):
    WAITING = "waiting", "waits for approval"
    CARRIED_OUT = "carried_out", "carried out"
    DECLINED = "declined", "declined"
    WITHDRAWN = "withdrawn", "withdrawn"
    EXPIRED = "lapsed", "expired"  # as stored rows are signed with it: see decision 0475


S = InstructionStatus

TRANSITIONS: dict[InstructionStatus, frozenset[InstructionStatus]] = {
    S.WAITING: frozenset({S.CARRIED_OUT, S.DECLINED, S.WITHDRAWN, S.EXPIRED}),
    S.CARRIED_OUT: frozenset(),
    S.DECLINED: frozenset(),
    S.WITHDRAWN: frozenset(),
    S.EXPIRED: frozenset(),
}
