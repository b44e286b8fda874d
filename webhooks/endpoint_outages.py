"""Outages of endpoints: stored when they end, so that it is known later why an event was late."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from webhooks.models import Delivery, EndpointOutage, Webhook
from webhooks.statuses import ALARM_AFTER, OutageEnd

# A shorter one is a refusal among successes, which the log of deliveries has as well.
STORED_FROM = timedelta(seconds=10)
# The failure record of an endpoint after a success, a new URL, or being switched on again.
CLEAN_RECORD: dict[str, Any] = {
    "failures": 0,
    "failing_since": None,
    "last_error": "",
    "alarmed_at": None,
    "paused_until": None,
    "is_slow": False,
}


def store_outage(webhook: Webhook, ended_by: OutageEnd, *, now: datetime) -> None:
    """Store that an endpoint has failed until now; nothing if it has not, or for seconds only.

    Call it with the row locked, before its record of failures is cleared.
    """
    since = webhook.failing_since
    if since is None or now - since < STORED_FROM:
        return
    EndpointOutage.objects.create(
        webhook=webhook,
        merchant_id=webhook.merchant_id if now - since >= ALARM_AFTER else None,
        since=since,
        until=now,
        failures=webhook.failures,
        last_error=webhook.last_error,
        ended_by=ended_by,
    )


def outages_met(
    deliveries: Iterable[Delivery], *, most: int, now: datetime
) -> list[EndpointOutage]:
    """Return the ended outages in which one of these deliveries waited, the newest first.

    Those that took less than an outage that is stored are left out, and those of which
    `with_outages_met` says that they met none; without others, nothing is read.
    """
    slow = [
        row
        for row in deliveries
        if (row.ended_at or now) - row.created_at >= STORED_FROM and getattr(row, "has_met", True)
    ]
    if not slow:
        return []
    met = reduce(or_, map(_met_by, slow))
    found = EndpointOutage.objects.filter(met).select_related("webhook")
    return list(found.order_by("-until", "-pk")[:most])


def _met_by(delivery: Delivery) -> Q:
    """Return the condition of `waited_in`, for the database."""
    met = Q(webhook=delivery.webhook_id, until__gt=delivery.created_at)
    return met if delivery.ended_at is None else met & Q(since__lt=delivery.ended_at)


def with_outages_met(deliveries: QuerySet[Delivery]) -> QuerySet[Delivery]:
    """Annotate deliveries with whether their endpoint has had an outage that ended later."""
    of_endpoint = EndpointOutage.objects.filter(webhook=OuterRef("webhook"))
    met = of_endpoint.filter(until__gt=OuterRef("created_at"))
    return deliveries.annotate(has_met=Exists(met))


def waited_in(outage: EndpointOutage, delivery: Delivery) -> bool:
    """Return whether a delivery was on its way during an outage of its endpoint."""
    ended_at = delivery.ended_at
    is_there = outage.webhook_id == delivery.webhook_id and delivery.created_at < outage.until
    return is_there and (ended_at is None or ended_at > outage.since)
