"""The order of first attempts: to one endpoint, those about one object leave one after the other.

A retry may overtake them, and no object waits for another: `sequence` says what came first.
"""

from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Q, QuerySet

from webhooks.models import Delivery, FeedEntry

# So many that are due are looked at to find those in turn.
WINDOW = 20
# An event is held back by those of its object among so many before it.
LOOK_BACK = 20

_NOT_ATTEMPTED = Q(attempt_count=0) | (Q(attempt_count=1) & ~Q(lease_token=""))


def next_in_turn(due: QuerySet[Delivery], quota: int) -> tuple[list[str], bool]:
    """Return the first deliveries that may leave now, and whether more are due."""
    turn = due.annotate(in_turn=ExpressionWrapper(_in_turn(), output_field=BooleanField()))
    window = list(turn.values_list("id", "in_turn")[:WINDOW])
    free = [delivery_id for delivery_id, in_turn in window if in_turn][:quota]
    return free, len(window) > len(free)


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
    return Delivery.objects.pending().filter(
        _NOT_ATTEMPTED, webhook=OuterRef("webhook"), event__in=latest
    )
