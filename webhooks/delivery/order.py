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
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    When,
)

from core.among import Among
from core.prepared import Placeholder, PreparedValues, instant_placeholder
from webhooks.models import Delivery, FeedEntry
from webhooks.statuses import DeliveryStatus

# How many due deliveries are looked at to find those in turn.
WINDOW = 20
# How many earlier events about its object can hold an event back.
LOOK_BACK = 20

_OBJECT = ("event__entry__merchant_id", "event__entry__livemode", "event__entry__resource_id")
_PLACE = ("event_id", "sequence", "resource_id")
_NOT_ATTEMPTED = Q(attempt_count=0) | (Q(attempt_count=1) & ~Q(lease_token=""))
_WAITS = Q(status=DeliveryStatus.PENDING) & _NOT_ATTEMPTED


def next_in_turn(webhook_id: str, capacity: int, *, now: datetime) -> tuple[list[str], bool]:
    """Return the first deliveries to an endpoint that may leave now, and whether more are due."""
    window = _window().rows(webhook_id=webhook_id, now=now)
    free = [delivery_id for delivery_id, in_turn, *_ in window if in_turn]
    if len(free) < capacity and len(window) == WINDOW:
        held_up = {tuple(thing) for _, in_turn, *thing in window if not in_turn}
        free += [each for each in _first_about(held_up, webhook_id, now) if each not in free]
    return free[:capacity], len(window) > len(free[:capacity])


@cache
def _window() -> PreparedValues:
    # Chosen before their events are looked up. Asked for what is due, PostgreSQL may join all of
    # that, then sort it.
    pending = Delivery.objects.pending().filter(webhook=Placeholder("webhook_id"))
    first = pending.order_by("next_attempt_at", "id").values("id")[:WINDOW]
    is_due = unindexed(Q(next_attempt_at__lte=instant_placeholder("now")))
    due = Delivery.objects.alias(is_due=is_due).filter(id__in=first, is_due=True)
    ordered = with_turn(due).order_by("next_attempt_at", "id")
    return PreparedValues(ordered.values_list("id", "in_turn", *_OBJECT))


def _first_about(objects: set[tuple[Any, ...]], webhook_id: str, now: datetime) -> list[str]:
    """Return those in turn that hold up all others about these objects.

    An attempt that was given back, or lost with its process, falls due after what it holds up: with
    twenty of those before it, it would never be found, and nothing would reach the endpoint.

    Each statement looks up what the one before it has found: of a join, PostgreSQL may read what
    waits for the endpoint first.
    """
    numbered = [thing for thing in objects if thing[0] is not None]
    if not numbered:
        return []
    merchant_id, livemode, _ = numbered[0]  # those of the endpoint
    about = FeedEntry.objects.filter(
        merchant_id=merchant_id,
        livemode=livemode,
        resource_id__in=[resource_id for *_, resource_id in numbered],
    )
    places = {event_id: place for event_id, *place in about.values_list(*_PLACE)}
    # By event, though nothing waited yesterday.
    is_due = unindexed(Q(webhook=webhook_id, next_attempt_at__lte=now))
    due = Delivery.objects.alias(is_due=is_due).filter(is_due=True)
    found = due.filter(Among(F("event_id"), list(places))).values_list("event_id", "id")
    firsts: dict[str, str] = {}
    for event_id, delivery_id in sorted(found, key=lambda each: places[each[0]]):
        firsts.setdefault(places[event_id][1], delivery_id)
    rows = with_turn(Delivery.objects.filter(Among(F("id"), list(firsts.values()))))
    turns = dict(rows.values_list("id", "in_turn"))
    return [delivery_id for delivery_id in firsts.values() if turns.get(delivery_id)]


def with_turn(due: QuerySet[Delivery]) -> QuerySet[Any]:
    """Add whether each is `in_turn`."""
    return due.annotate(in_turn=ExpressionWrapper(_in_turn(), output_field=BooleanField()))


def _in_turn() -> Q:
    """A test event has no turn; any other needs its number first: that is part of what is sent."""
    is_first = ~Q(Exists(_held_up_by()))
    return Q(event__is_test=True) | (
        Q(event__entry__isnull=False) & (Q(attempt_count__gt=0) | is_first)
    )


def _held_up_by() -> QuerySet[FeedEntry]:
    """Return the earlier events about the same object that have not left for this endpoint yet.

    Whether each waits is looked up by event and endpoint. Joined with deliveries, PostgreSQL may
    begin with what is pending at the endpoint: that is nothing until the next ANALYZE.
    """
    outer = {
        name: OuterRef(OuterRef(f"event__entry__{name}"))
        for name in ("merchant_id", "livemode", "resource_id")
    }
    earlier = FeedEntry.objects.filter(
        sequence__lt=OuterRef(OuterRef("event__entry__sequence")), **outer
    )
    latest = earlier.order_by("-sequence").values("event_id")[:LOOK_BACK]
    delivery = Delivery.objects.filter(
        event=OuterRef("event_id"), webhook=OuterRef(OuterRef("webhook"))
    )
    waits = Subquery(delivery.values_list(unindexed(_WAITS)))
    return FeedEntry.objects.alias(waits=waits).filter(waits=True, event_id__in=latest)


def unindexed(condition: Q) -> Case:
    """Return a condition that no index matches: the rows are found by what else is asked."""
    return Case(When(condition, then=True), default=False, output_field=BooleanField())
