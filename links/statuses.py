"""The payment link state machine: every status and every allowed transition, defined only here."""

from django.db.models import TextChoices


class LinkStatus(TextChoices):
    ACTIVE = "active"
    DEACTIVATED = "deactivated"
    EXPIRED = "expired"
    USED_UP = "used_up"


S = LinkStatus

TRANSITIONS: dict[LinkStatus, frozenset[LinkStatus]] = {
    S.ACTIVE: frozenset({S.DEACTIVATED, S.EXPIRED, S.USED_UP}),
    S.DEACTIVATED: frozenset(),
    S.EXPIRED: frozenset(),
    S.USED_UP: frozenset(),
}

# What a refusal says besides the status.
ALLOWED = {
    status: "no one can pay through it any more" if not moves else "it can be paid, and deactivated"
    for status, moves in TRANSITIONS.items()
}
