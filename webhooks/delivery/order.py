"""The order of first attempts: to one endpoint, those about one object leave one by one.

A retry may overtake them, and no object waits for another: `sequence` says what came first.
"""

from datetime import datetime
from functools import cache
from typing import Any

from django.db.models import (
    BooleanField,
    Case,
    Exists,
    ExpressionWrapper,
    Min,
    OuterRef,
    Q,
    QuerySet,
    When,
)

from core.prepared import Placeholder, PreparedValues, instant_placeholder
from webhooks.models import Delivery, FeedEntry
from webhooks.statuses import DeliveryStatus

# How many due deliveries are looked at to find those in turn.
WINDOW = 20
# How many earlier events about its object can hold an event back.
LOOK_BACK = 20

_OBJECT = ("event__entry__merchant_id", "event__entry__livemode", "event__entry__resource_id")
_NOT_ATTEMPTED = Q(attempt_count=0) | (Q(attempt_count=1) & ~Q(lease_token=""))
_WAITS = Q(status=DeliveryStatus.PENDING) & _NOT_ATTEMPTED


def next_in_turn(webhook_id: str, capacity: int, *, now: datetime) -> tuple[list[str], bool]:
    """Return the first deliveries to an endpoint that may leave now, and whether more are due."""
    window = _window().rows(webhook_id=webhook_id, now=now)
    free = [delivery_id for delivery_id, in_turn, *_ in window if in_turn]
    if len(free) < capacity and len(window) == WINDOW:
        held_up = {tuple(thing) for _, in_turn, *thing in window if not in_turn}
        due = Delivery.objects.due(now).filter(webhook=webhook_id)
        free += [each for each in _first_about(held_up, due) if each not in free]
    return free[:capacity], len(window) > len(free[:capacity])


@cache
def _window() -> PreparedValues:
    due = Delivery.objects.due(instant_placeholder("now")).filter(webhook=Placeholder("webhook_id"))
    return PreparedValues(with_turn(due).values_list("id", "in_turn", *_OBJECT)[:WINDOW])


def _first_about(objects: set[tuple[Any, ...]], due: QuerySet[Delivery]) -> list[str]:
    """Return those in turn that hold up all others about these objects.

    An attempt that was given back, or lost with its process, falls due after what it holds up: with
    twenty of those before it, it would never be found, and nothing would reach the endpoint.
    """
    numbered = [thing for thing in objects if thing[0] is not None]
    if not numbered:
        return []
    merchant_id, livemode, _ = numbered[0]  # those of the endpoint
    about = due.order_by().filter(
        event__entry__merchant_id=merchant_id,
        event__entry__livemode=livemode,
        event__entry__resource_id__in=[resource_id for *_, resource_id in numbered],
    )
    firsts = about.values("event__entry__resource_id").annotate(first=Min("event__entry__sequence"))
    rows = with_turn(about.filter(event__entry__sequence__in=[row["first"] for row in firsts]))
    in_order = rows.order_by("event__entry__sequence").values_list("id", "in_turn")
    return [delivery_id for delivery_id, in_turn in in_order if in_turn]


def with_turn(due: QuerySet[Delivery]) -> QuerySet[Any]:
    """Add whether each is `in_turn`."""
    return due.annotate(in_turn=ExpressionWrapper(_in_turn(), output_field=BooleanField()))


def _in_turn() -> Q:
    """A test event has no turn; any other needs its number first: that is part of what is sent."""
    is_first = ~Q(Exists(_held_up_by()))
    return Q(event__is_test=True) | (
        Q(event__entry__isnull=False) & (Q(attempt_count__gt=0) | is_first)
    )


def _held_up_by() -> QuerySet[Delivery]:
    """Return the deliveries to the same endpoint, about the same object, that have not left yet."""
    outer = {
        name: OuterRef(OuterRef(f"event__entry__{name}"))
        for name in ("merchant_id", "livemode", "resource_id")
    }
    earlier = FeedEntry.objects.filter(
        sequence__lt=OuterRef(OuterRef("event__entry__sequence")), **outer
    )
    latest = earlier.order_by("-sequence").values("event_id")[:LOOK_BACK]
    # With a CASE, PostgreSQL looks these up by event. It would take the index of pending ones to
    # be empty until the next ANALYZE, and read all that waits for the endpoint each time.
    waits = Case(When(_WAITS, then=True), default=False, output_field=BooleanField())
    return Delivery.objects.alias(waits=waits).filter(
        waits=True, webhook=OuterRef("webhook"), event__in=latest
    )
