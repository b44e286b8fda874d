"""Claim due deliveries, so that no other process sends them meanwhile.

A claim is a lease: if its holder dies, the delivery falls due again by itself. It is committed
before anything is sent, and its token decides whose result counts.
"""

import secrets
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q

from core.among import Among
from core.prepared import (
    Placeholder,
    Prepared,
    PreparedUpdate,
    PreparedValues,
    instant_placeholder,
)
from ledger.checkpoints import newest_note
from webhooks.delivery.backlog import few_with_due, with_backlog, with_pending
from webhooks.delivery.lanes import EndpointBacklog, Lane, allocate
from webhooks.delivery.order import next_in_turn, unindexed
from webhooks.models import Delivery, Webhook
from webhooks.numbering import number_events

# The deadline has long ended the attempt of a live thread when its lease runs out.
LEASE_IN_DEADLINES = 3
TOKEN_BYTES = 16
POSTPONED_FOR = timedelta(minutes=1)
_AMONG_IDS = Among(F("id"), Placeholder("ids"))


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
        capacity = _lock_with_capacity(wanted, waiting, now)
        found = {each: next_in_turn(each, most, now=now) for each, most in capacity.items()}
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
    few = few_with_due(now)
    if few == []:
        return
    found = _waiting(few=few is not None).rows(ids=few, now=now)
    for webhook_id, livemode, due_at, in_flight, failures, is_slow, last_success_at in found:
        yield EndpointBacklog(
            webhook_id=webhook_id,
            livemode=livemode,
            due_at=due_at,
            in_flight=in_flight,
            failures=failures,
            is_slow=is_slow,
            is_proven=last_success_at is not None,
        )


@cache
def _waiting(*, few: bool) -> PreparedValues:
    """Return the statement for these endpoints, or for all that have something pending."""
    now = instant_placeholder("now")
    on = Webhook.objects.switched_on().filter(Q(paused_until=None) | Q(paused_until__lte=now))
    endpoints = on.filter(_AMONG_IDS) if few else with_pending(on)
    return PreparedValues(
        with_backlog(endpoints, now)
        .filter(due_at__lte=now)
        .values_list(
            *("id", "livemode", "due_at", "in_flight", "failures", "is_slow", "last_success_at")
        )
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
    locked = [webhook_id for (webhook_id,) in _lockable().rows(ids=list(wanted))]
    return {
        webhook_id: min(wanted[webhook_id], waiting[webhook_id].max_in_flight - in_flight)
        for webhook_id, in_flight in _in_flight().rows(ids=locked, now=now)
        if in_flight < waiting[webhook_id].max_in_flight
    }


@cache
def _lockable() -> PreparedValues:
    rows = Webhook.objects.switched_on().filter(_AMONG_IDS)
    return PreparedValues(rows.select_for_update(skip_locked=True, no_key=True).values_list("id"))


@cache
def _in_flight() -> PreparedValues:
    rows = with_backlog(Webhook.objects.filter(_AMONG_IDS), instant_placeholder("now"))
    return PreparedValues(rows.values_list("id", "in_flight"))


def _lease(delivery_ids: list[str], now: datetime) -> str:
    """Lease those deliveries that are still free, counting the attempt; return the token.

    One may have been claimed since it was found, as its row is not locked: of two claims, the
    second waits for this statement and finds it leased.
    """
    token = secrets.token_hex(TOKEN_BYTES)
    if delivery_ids:
        _taking().execute(ids=delivery_ids, now=now, token=token, until=lease_until(now))
    return token


@cache
def _taking() -> PreparedUpdate:
    # By key: if an index of what is pending matched, PostgreSQL would read all of that, which it
    # takes to be nothing until the next ANALYZE.
    is_idle = Q(lease_token="") | Q(next_attempt_at__lte=instant_placeholder("now"))
    is_free = unindexed(Q(next_attempt_at__isnull=False) & is_idle)
    return PreparedUpdate(
        Delivery.objects.alias(is_free=is_free).filter(_AMONG_IDS, is_free=True),
        lease_token=Placeholder("token"),
        next_attempt_at=instant_placeholder("until"),
        attempt_count=F("attempt_count") + 1,
        round_attempts=F("round_attempts") + 1,
    )


def _leased(delivery_ids: list[str], token: str) -> list[tuple[Delivery, str]]:
    """Return each delivery, and the newest signed head, by one statement."""
    if not delivery_ids:
        return []
    found = _with_head().rows(ids=delivery_ids, token=token)
    return [(row, row.checkpoint or "") for row in found]


@cache
def _with_head() -> Prepared[Any]:
    rows = Delivery.objects.filter(_AMONG_IDS, lease_token=Placeholder("token"))
    return Prepared(
        rows.select_related("event__entry", "webhook").annotate(checkpoint=newest_note())
    )
