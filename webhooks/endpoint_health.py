"""How an endpoint is doing at this moment, and when it and its deliveries are tried next."""

from dataclasses import dataclass
from datetime import datetime

from webhooks.delivery.lanes import MAX_IN_FLIGHT
from webhooks.models import Delivery, Webhook

COUNTED = 1_000


@dataclass(frozen=True)
class NextAttempt:
    """When something is sent next: `at`, or now if an attempt is due or under way."""

    at: datetime | None = None
    is_under_way: bool = False


@dataclass(frozen=True)
class EndpointHealth:
    """`waiting` counts up to 1,001 pending deliveries; `next_attempt` is None if there are none."""

    webhook: Webhook
    waiting: int
    next_attempt: NextAttempt | None


def health_of(webhook: Webhook, now: datetime) -> EndpointHealth:
    """Return how an endpoint is doing, by two bounded reads of an index."""
    pending = Delivery.objects.pending().filter(webhook=webhook)
    waiting = len(pending.order_by().values_list("pk")[: COUNTED + 1])
    first = list(pending.order_by("next_attempt_at", "id")[: MAX_IN_FLIGHT + 1])
    leased = [row for row in first if _is_leased(row, now)]
    if leased or not first:
        return EndpointHealth(webhook, waiting, NextAttempt(is_under_way=True) if leased else None)
    return EndpointHealth(webhook, waiting, _after_pause(webhook, first[0], now))


def next_attempt_of(delivery: Delivery, now: datetime) -> NextAttempt | None:
    """Return when a delivery is sent next; None if it has ended. Reads its endpoint."""
    if delivery.next_attempt_at is None:
        return None
    if _is_leased(delivery, now):
        return NextAttempt(is_under_way=True)
    return _after_pause(delivery.webhook, delivery, now)


def _is_leased(delivery: Delivery, now: datetime) -> bool:
    """Return whether an attempt is under way; one whose lease ran out is due again."""
    until = delivery.next_attempt_at
    return bool(delivery.lease_token) and until is not None and until > now


def _after_pause(webhook: Webhook, delivery: Delivery, now: datetime) -> NextAttempt:
    """Nothing is sent while the endpoint is paused, whatever is due."""
    instants = [at for at in (delivery.next_attempt_at, webhook.paused_until) if at and at > now]
    return NextAttempt(max(instants, default=None))
