"""The order of first attempts: to one endpoint, those about one object leave one after the other.

A retry may overtake them, and no object waits for another: `sequence` says what came first.
"""

from typing import Any

from django.db.models import (
    BooleanField,
    Case,
    Exists,
    ExpressionWrapper,
    OuterRef,
    Q,
    QuerySet,
    When,
)

from webhooks.models import Delivery, FeedEntry
from webhooks.statuses import DeliveryStatus

# So many that are due are looked at to find those in turn.
WINDOW = 20
# An event is held back by those of its object among so many before it.
LOOK_BACK = 20

_NOT_ATTEMPTED = Q(attempt_count=0) | (Q(attempt_count=1) & ~Q(lease_token=""))
_WAITS = Q(status=DeliveryStatus.PENDING) & _NOT_ATTEMPTED


def next_in_turn(due: QuerySet[Delivery], quota: int) -> tuple[list[str], bool]:
    """Return the first deliveries that may leave now, and whether more are due."""
    window = list(with_turn(due).values_list("id", "in_turn")[:WINDOW])
    free = [delivery_id for delivery_id, in_turn in window if in_turn][:quota]
    return free, len(window) > len(free)


def with_turn(due: QuerySet[Delivery]) -> QuerySet[Any]:
    """Add whether each is `in_turn`."""
    return due.annotate(in_turn=ExpressionWrapper(_in_turn(), output_field=BooleanField()))


def _in_turn() -> Q:
    """A test event has no turn; any other has its number first, for it is part of what is sent."""
    is_first = ~Q(Exists(_held_up_by()))
    return Q(event__is_test=True) | (
        Q(event__entry__isnull=False) & (Q(attempt_count__gt=0) | is_first)
    )


def _held_up_by() -> QuerySet[Delivery]:
    """Return what goes to the same endpoint about the same object and has not left."""
    outer = {
        name: OuterRef(OuterRef(f"event__entry__{name}"))
        for name in ("merchant_id", "livemode", "resource_id")
    }
    earlier = FeedEntry.objects.filter(
        sequence__lt=OuterRef(OuterRef("event__entry__sequence")), **outer
    )
    latest = earlier.order_by("-sequence").values("event_id")[:LOOK_BACK]
    # As a CASE, what is pending is looked up by its event. PostgreSQL would take an index of what
    # is pending for empty until it counts anew, and read all that waits for the endpoint each time.
    waits = Case(When(_WAITS, then=True), default=False, output_field=BooleanField())
    return Delivery.objects.alias(waits=waits).filter(
        waits=True, webhook=OuterRef("webhook"), event__in=latest
    )
