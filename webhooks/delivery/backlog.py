"""The endpoints with pending deliveries, found without reading every delivery."""

from datetime import datetime
from functools import cache
from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery, Value
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce

from core.prepared import PreparedValues, instant_placeholder
from webhooks.models import Delivery, WebhookQuerySet

FEW = 100  # more due than the threads of a dispatcher can take

# A loose index scan of the pending deliveries: from each endpoint straight to the next one, so that
# five thousand deliveries of one cost no more than one delivery of it. The order is that of the
# index, so that every planner uses it.
_WITH_PENDING = """
    WITH RECURSIVE waiting(id) AS (
        SELECT (SELECT webhook_id FROM webhooks_delivery WHERE ended_at IS NULL
                ORDER BY webhook_id, next_attempt_at, id LIMIT 1)
        UNION ALL
        SELECT (SELECT webhook_id FROM webhooks_delivery
                WHERE ended_at IS NULL AND webhook_id > waiting.id
                ORDER BY webhook_id, next_attempt_at, id LIMIT 1)
        FROM waiting WHERE id IS NOT NULL
    )
    SELECT id FROM waiting WHERE id IS NOT NULL
"""


def with_pending(webhooks: WebhookQuerySet) -> WebhookQuerySet:
    """Keep those with a pending delivery; costs a step per endpoint, not per delivery."""
    return webhooks.filter(id__in=RawSQL(_WITH_PENDING, []))  # noqa: S611  # a constant


def few_with_due(now: datetime) -> list[str] | None:
    """Return the endpoints with a delivery that is due; None while many are.

    Most pending ones wait for a retry, for hours: while few are due, those are found by their time,
    however many endpoints have something pending.
    """
    found = _first_due(FEW).rows(now=now)
    return None if len(found) == FEW else list({webhook_id for (webhook_id,) in found})


@cache
def _first_due(count: int) -> PreparedValues:
    due = Delivery.objects.due(instant_placeholder("now")).order_by("next_attempt_at")
    return PreparedValues(due.values_list("webhook_id")[:count])


def with_backlog(webhooks: WebhookQuerySet, now: datetime | Value) -> QuerySet[Any, Any]:
    """Add `due_at`, when the next attempt is due, and `in_flight`, the number under way."""
    pending = Delivery.objects.pending().filter(webhook=OuterRef("pk"))
    leased = pending.exclude(lease_token="").filter(next_attempt_at__gt=now).order_by()
    return webhooks.annotate(
        # By id as well, which is the order of the index that begins with the endpoint: the one that
        # begins with the time would be read up to the endpoint's first, through all that waits.
        due_at=Subquery(pending.order_by("next_attempt_at", "id").values("next_attempt_at")[:1]),
        in_flight=Coalesce(
            Subquery(leased.values("webhook").annotate(n=Count("pk")).values("n")), 0
        ),
    )
