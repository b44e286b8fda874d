"""Claim due deliveries, so that no other process sends them meanwhile.

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

from ledger.checkpoints import newest_note
from webhooks.delivery.backlog import with_backlog, with_due
from webhooks.delivery.lanes import EndpointBacklog, Lane, allocate
from webhooks.delivery.order import next_in_turn
from webhooks.models import Delivery, Webhook
from webhooks.numbering import number_events

# The deadline has long ended the attempt of a live thread when its lease runs out.
LEASE_IN_DEADLINES = 3
TOKEN_BYTES = 16
POSTPONED_FOR = timedelta(minutes=1)


@dataclass(frozen=True)
class Claim:
    """A delivery that this process may send once, from this instant until the lease runs out.

    `checkpoint` is the head of the ledger's log as it was signed last.
    """

    delivery: Delivery
    token: str
    at: datetime
    lane: Lane
    checkpoint: str = ""


@dataclass(frozen=True)
class ClaimBatch:
    """The claims, the endpoints with more due, and the lanes without a free thread.

    When an attempt of such an endpoint or lane has ended, it is time to claim again.
    """

    taken: list[Claim]
    left: frozenset[str]
    full_lanes: frozenset[Lane]


def lease_until(now: datetime) -> datetime:
    """Return the end of a lease that starts now."""
    return now + timedelta(seconds=LEASE_IN_DEADLINES * settings.WEBHOOK_TIMEOUT_SECONDS)


def claim_due_deliveries(*, free: Mapping[Lane, int], now: datetime) -> ClaimBatch:
    """Claim as many due deliveries as there are free threads in each lane, allocated fairly.

    `now` is by the database's clock. Events without a number are numbered first. Waits for no lock
    but the one for that.
    """
    number_events(patient=True)
    waiting = {endpoint.webhook_id: endpoint for endpoint in waiting_endpoints(now)}
    wanted = allocate(waiting.values(), free)
    full_lanes = _full_lanes(wanted, waiting, free)
    if not wanted:
        return ClaimBatch([], frozenset(waiting), full_lanes)
    with transaction.atomic():
        quotas = _lock_with_capacity(wanted, waiting, now)
        found = {each: _next_of(each, quota, now) for each, quota in quotas.items()}
        ids = [delivery_id for due, _ in found.values() for delivery_id in due]
        token = _lease(ids, now)
    taken = [
        Claim(row, token, now, waiting[row.webhook_id].lane, checkpoint)
        for row, checkpoint in _leased(ids, token)
    ]
    left = {each for each in waiting if each not in found or found[each][1]}
    return ClaimBatch(taken, frozenset(left), full_lanes)


def claim_delivery(delivery_id: str, *, now: datetime) -> Claim | None:
    """Claim this delivery out of turn; None if it is not pending or is leased already."""
    token = _lease([delivery_id], now)
    for delivery, checkpoint in _leased([delivery_id], token):
        return Claim(delivery, token, now, Lane.CAREFUL, checkpoint)
    return None


def release(claim: Claim) -> None:
    """Release an unused claim: the delivery is due as before."""
    _give_back(claim, due_at=claim.at)


def postpone(claim: Claim) -> None:
    """Release a claim that we could not use: it is due again when we may be able to use it."""
    _give_back(claim, due_at=claim.at + POSTPONED_FOR)


def _give_back(claim: Claim, *, due_at: datetime) -> None:
    Delivery.objects.filter(pk=claim.delivery.pk, lease_token=claim.token).update(
        lease_token="",
        next_attempt_at=due_at,
        attempt_count=F("attempt_count") - 1,
        round_attempts=F("round_attempts") - 1,
    )


def waiting_endpoints(now: datetime) -> Iterator[EndpointBacklog]:
    """Yield the endpoints that have due deliveries and may be called now."""
    callable_now = Q(paused_until=None) | Q(paused_until__lte=now)
    endpoints = Webhook.objects.switched_on().filter(callable_now)
    for row in (
        with_backlog(with_due(endpoints, now), now)
        .filter(due_at__lte=now)
        .values("id", "livemode", "due_at", "in_flight", "failures", "is_slow", "last_success_at")
    ):
        yield EndpointBacklog(
            webhook_id=row["id"],
            livemode=row["livemode"],
            due_at=row["due_at"],
            in_flight=row["in_flight"],
            failures=row["failures"],
            is_slow=row["is_slow"],
            is_proven=row["last_success_at"] is not None,
        )


def _full_lanes(
    wanted: Mapping[str, int], waiting: Mapping[str, EndpointBacklog], free: Mapping[Lane, int]
) -> frozenset[Lane]:
    taken = Counter[Lane]()
    for webhook_id, count in wanted.items():
        taken[waiting[webhook_id].lane] += count
    return frozenset(lane for lane, count in free.items() if taken[lane] >= count)


def _lock_with_capacity(
    wanted: Mapping[str, int], waiting: Mapping[str, EndpointBacklog], now: datetime
) -> dict[str, int]:
    """Lock the endpoints that no other process is claiming for; recount the attempts under way."""
    rows = Webhook.objects.switched_on().filter(id__in=wanted)
    if connection.features.has_select_for_update_skip_locked:
        rows = rows.select_for_update(skip_locked=True, no_key=True)
    locked = list(rows.values_list("id", flat=True))
    counts = with_backlog(Webhook.objects.filter(id__in=locked), now).values_list("id", "in_flight")
    return {
        webhook_id: min(wanted[webhook_id], waiting[webhook_id].max_in_flight - in_flight)
        for webhook_id, in_flight in counts
        if in_flight < waiting[webhook_id].max_in_flight
    }


def _next_of(webhook_id: str, quota: int, now: datetime) -> tuple[list[str], bool]:
    return next_in_turn(Delivery.objects.due(now).filter(webhook_id=webhook_id), quota)


def _free(now: datetime) -> Q:
    return Q(lease_token="") | Q(next_attempt_at__lte=now)


def _lease(delivery_ids: list[str], now: datetime) -> str:
    """Lease those deliveries that are still free, counting the attempt; return the token.

    One may have been claimed since it was found, as its row is not locked: of two claims, the
    second waits for this statement and finds it leased.
    """
    token = secrets.token_hex(TOKEN_BYTES)
    if delivery_ids:
        Delivery.objects.pending().filter(_free(now), pk__in=delivery_ids).update(
            lease_token=token,
            next_attempt_at=lease_until(now),
            attempt_count=F("attempt_count") + 1,
            round_attempts=F("round_attempts") + 1,
        )
    return token


def _leased(delivery_ids: list[str], token: str) -> list[tuple[Delivery, str]]:
    """Return each delivery, and the newest signed head, by one statement."""
    rows = Delivery.objects.filter(pk__in=delivery_ids, lease_token=token)
    found = rows.select_related("event__entry", "webhook").annotate(checkpoint=newest_note())
    if not delivery_ids:
        return []
    return [(row, row.checkpoint or "") for row in found]  # type: ignore[attr-defined]  # as annotated
