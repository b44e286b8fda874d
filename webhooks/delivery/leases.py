"""Take what is due, so that nobody else sends it meanwhile.

A claim is a lease: if its holder dies, the delivery falls due again by itself. It is committed
before anything is sent, and its token decides whose result counts.
"""

import secrets
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, Q

from webhooks.delivery.backlog import with_pending, with_work
from webhooks.delivery.lanes import Lane, Waiting, share
from webhooks.models import Delivery, Webhook

# A sender that lives has long been cut off by its deadline when its lease runs out.
LEASE_IN_DEADLINES = 3
TOKEN_BYTES = 16


@dataclass(frozen=True)
class Claim:
    """A delivery that is ours to send once, from this instant until the lease runs out."""

    delivery: Delivery
    token: str
    at: datetime
    lane: Lane


@dataclass(frozen=True)
class Claims:
    """What was taken; the endpoints that have more due, and the lanes that had no sender left.

    When a delivery to one of those, or in one of those, has ended, it is time to look again.
    """

    taken: list[Claim]
    left: frozenset[str]
    crowded: frozenset[Lane]


def lease_until(now: datetime) -> datetime:
    """Return the end of a lease that begins now."""
    return now + timedelta(seconds=LEASE_IN_DEADLINES * settings.WEBHOOK_TIMEOUT_SECONDS)


def claim_due(*, free: Mapping[Lane, int], now: datetime) -> Claims:
    """Claim as many due deliveries as there are free senders in each lane, shared out fairly.

    `now` by the database's clock. Takes its locks without waiting for anybody.
    """
    waiting = {endpoint.webhook_id: endpoint for endpoint in _waiting(now)}
    wanted = share(waiting.values(), free)
    crowded = _crowded(wanted, waiting, free)
    if not wanted:
        return Claims([], frozenset(waiting), crowded)
    with transaction.atomic():
        quotas = _still_free(wanted, waiting, now)
        found = {each: _due_ids(each, quota, now) for each, quota in quotas.items()}
        ids = [delivery_id for due in found.values() for delivery_id in due]
        token = _lease(ids, now)
    taken = [Claim(row, token, now, waiting[row.webhook_id].lane) for row in _leased(ids, token)]
    left = {each for each in waiting if len(found.get(each, ())) == quotas.get(each, 0)}
    return Claims(taken, frozenset(left), crowded)


def claim_one(delivery_id: str, *, now: datetime) -> Claim | None:
    """Claim this delivery, out of turn; None where it is not pending or another holds it."""
    with transaction.atomic():
        free = Q(lease_token="") | Q(next_attempt_at__lte=now)
        rows = Delivery.objects.pending().filter(free, pk=delivery_id)
        ids = [row.pk for row in rows.select_for_update(no_key=True)]
        token = _lease(ids, now)
    for delivery in _leased(ids, token):
        return Claim(delivery, token, now, Lane.CAREFUL)
    return None


def release(claim: Claim) -> None:
    """Give a claim back unused: the delivery is due as it was before."""
    Delivery.objects.filter(pk=claim.delivery.pk, lease_token=claim.token).update(
        lease_token="",
        next_attempt_at=claim.at,
        attempt_count=F("attempt_count") - 1,
        round_attempts=F("round_attempts") - 1,
    )


def _waiting(now: datetime) -> Iterator[Waiting]:
    """Yield the endpoints that something is due for and that may be called now."""
    # Each sender looks every second: where nothing waits, that takes a tenth of the full question.
    if not Delivery.objects.pending().exists():
        return
    callable_now = Q(paused_until=None) | Q(paused_until__lte=now)
    endpoints = Webhook.objects.switched_on().filter(callable_now)
    for row in (
        with_work(with_pending(endpoints), now)
        .filter(due_at__lte=now)
        .values("id", "due_at", "in_flight", "failures", "is_slow", "last_success_at")
    ):
        yield Waiting(
            webhook_id=row["id"],
            due_at=row["due_at"],
            in_flight=row["in_flight"],
            failures=row["failures"],
            is_slow=row["is_slow"],
            is_proven=row["last_success_at"] is not None,
        )


def _crowded(
    wanted: Mapping[str, int], waiting: Mapping[str, Waiting], free: Mapping[Lane, int]
) -> frozenset[Lane]:
    taken = Counter[Lane]()
    for webhook_id, count in wanted.items():
        taken[waiting[webhook_id].lane] += count
    return frozenset(lane for lane, count in free.items() if taken[lane] >= count)


def _still_free(
    wanted: Mapping[str, int], waiting: Mapping[str, Waiting], now: datetime
) -> dict[str, int]:
    """Lock the endpoints that nobody else is claiming for, and count anew what is under way."""
    rows = Webhook.objects.switched_on().filter(id__in=wanted)
    if connection.features.has_select_for_update_skip_locked:
        rows = rows.select_for_update(skip_locked=True, no_key=True)
    locked = list(rows.values_list("id", flat=True))
    counts = with_work(Webhook.objects.filter(id__in=locked), now).values_list("id", "in_flight")
    return {
        webhook_id: min(wanted[webhook_id], waiting[webhook_id].most_in_flight - in_flight)
        for webhook_id, in_flight in counts
        if in_flight < waiting[webhook_id].most_in_flight
    }


def _due_ids(webhook_id: str, quota: int, now: datetime) -> list[str]:
    due = Delivery.objects.due(now).filter(webhook_id=webhook_id)
    return list(due.values_list("id", flat=True)[:quota])


def _lease(delivery_ids: list[str], now: datetime) -> str:
    """Mark the deliveries as ours, and the attempt as begun; return the token."""
    token = secrets.token_hex(TOKEN_BYTES)
    if delivery_ids:
        Delivery.objects.pending().filter(pk__in=delivery_ids).update(
            lease_token=token,
            next_attempt_at=lease_until(now),
            attempt_count=F("attempt_count") + 1,
            round_attempts=F("round_attempts") + 1,
        )
    return token


def _leased(delivery_ids: list[str], token: str) -> list[Delivery]:
    rows = Delivery.objects.filter(pk__in=delivery_ids, lease_token=token)
    return list(rows.select_related("event", "webhook")) if delivery_ids else []
