"""Record the result of an attempt: in the log, the schedule, and the endpoint's own record."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from core.prepared import Placeholder, PreparedUpdate, instant_placeholder
from core.writing import insertion_of, write
from outbound.results import HttpResult
from webhooks.alerts import raise_alert
from webhooks.delivery.leases import Claim
from webhooks.delivery.retry_schedule import max_attempts, next_attempt_at, requested_wait
from webhooks.endpoint_outages import CLEAN_RECORD, store_outage
from webhooks.models import MAX_ERROR, Attempt, Delivery, Webhook
from webhooks.statuses import (
    ALARM_AFTER,
    SWITCH_OFF_AFTER,
    AlertKind,
    DeliveryStatus,
    DisabledReason,
    OutageEnd,
)

GONE = 410
SLOW_MS = 3_000
SUCCESS_RECORDED_EVERY = timedelta(hours=1)
PAUSE_FROM_FAILURES = 10
# A tenth of the first step of the schedule: 30 seconds of 5 minutes.
PAUSES_IN_FIRST_STEP = 10


@dataclass(frozen=True)
class _DeliveryState:
    """The new state of the delivery: with a next attempt it stays pending."""

    status: DeliveryStatus
    next_attempt_at: datetime | None = None


@transaction.atomic
def record_result(claim: Claim, result: HttpResult) -> None:
    """Record an attempt, and its consequences if the lease is still ours.

    Locks first the endpoint, if it has failed or has stopped failing, and then the delivery.
    """
    ended_at = claim.at + timedelta(milliseconds=result.ms)
    delivery = claim.delivery
    if result.is_success:
        _record_success(delivery.webhook, result, ended_at)
        end = _DeliveryState(DeliveryStatus.DELIVERED)
    else:
        end = _state_after_failure(claim, result, ended_at)
        if not delivery.event.is_test:
            _record_failure(claim, result, ended_at)
    _record_attempt(claim, result)
    is_ours = _close(claim, end, ended_at)
    is_news = end.status == DeliveryStatus.FAILED and not delivery.event.is_test
    if is_ours and is_news and result.status != GONE:
        raise_alert(AlertKind.EXHAUSTED, delivery.webhook_id, delivery=delivery, now=ended_at)


def _record_attempt(claim: Claim, result: HttpResult) -> None:
    row = Attempt(
        delivery=claim.delivery,
        number=claim.delivery.attempt_count,
        attempted_at=claim.at,
        ms=result.ms,
        status=result.status,
        excerpt=result.excerpt,
        error=result.error,
    )
    insertion = insertion_of(row)
    # If the database went away on commit, the row may be there already.
    write(insertion._replace(sql=f"{insertion.sql} ON CONFLICT DO NOTHING"))


def _close(claim: Claim, end: _DeliveryState, ended_at: datetime) -> bool:
    """Release the lease; return False if it ran out and another process claimed the delivery."""
    is_over = end.next_attempt_at is None
    closed = _closing().execute(
        id=claim.delivery.pk,
        token=claim.token,
        status=end.status,
        next_attempt_at=end.next_attempt_at,
        ended_at=ended_at if is_over else None,
    )
    return bool(closed)


@cache
def _closing() -> PreparedUpdate:
    # Not by its status as well, which a lease implies: see `_taking` in webhooks.delivery.leases.
    held = {"pk": Placeholder("id"), "lease_token": Placeholder("token")}
    return PreparedUpdate(
        Delivery.objects.filter(**held),
        status=Placeholder("status"),
        next_attempt_at=instant_placeholder("next_attempt_at"),
        lease_token="",
        ended_at=instant_placeholder("ended_at"),
    )


def _state_after_failure(claim: Claim, result: HttpResult, ended_at: datetime) -> _DeliveryState:
    if result.status == GONE or claim.delivery.event.is_test:
        return _DeliveryState(DeliveryStatus.FAILED)
    again_at = next_attempt_at(
        attempts=claim.delivery.round_attempts,
        failed_at=ended_at,
        wait=requested_wait(result.status, result.retry_after, at=ended_at),
        steps=settings.WEBHOOK_RETRY_SECONDS,
    )
    if again_at is None:
        return _DeliveryState(DeliveryStatus.FAILED)
    return _DeliveryState(DeliveryStatus.PENDING, again_at)


def _record_success(claimed: Webhook, result: HttpResult, now: datetime) -> None:
    """Clear the record of failures, and store the outage. A healthy endpoint costs no write.

    What has begun since the claim is no longer than an attempt, and not stored.
    """
    if claimed.failing_since is not None:
        failing = Webhook.objects.select_for_update(no_key=True).get(pk=claimed.pk)
        store_outage(failing, OutageEnd.ACCEPTED, now=now)
    _clearing(is_slow=result.ms > SLOW_MS).execute(
        id=claimed.pk, now=now, long_ago=now - SUCCESS_RECORDED_EVERY
    )


@cache
def _clearing(*, is_slow: bool) -> PreparedUpdate:
    stale = (
        Q(failures__gt=0)
        | Q(last_success_at=None)
        | Q(last_success_at__lt=instant_placeholder("long_ago"))
        | ~Q(is_slow=is_slow)
    )
    return PreparedUpdate(
        Webhook.objects.filter(stale, pk=Placeholder("id")),
        **CLEAN_RECORD | {"is_slow": is_slow, "last_success_at": instant_placeholder("now")},
    )


def _record_failure(claim: Claim, result: HttpResult, now: datetime) -> None:
    """Count the failure; alert the merchant after minutes, switch the endpoint off after days."""
    webhook = Webhook.objects.select_for_update(no_key=True).get(pk=claim.delivery.webhook_id)
    webhook.failures += 1
    webhook.failing_since = webhook.failing_since or claim.at
    webhook.last_error = (result.error or f"It answered {result.status}.")[:MAX_ERROR]
    webhook.is_slow = result.ms > SLOW_MS
    if webhook.failures >= PAUSE_FROM_FAILURES:
        webhook.paused_until = now + _pause()
    is_news = webhook.alarmed_at is None and now - webhook.failing_since >= ALARM_AFTER
    if is_news:
        webhook.alarmed_at = now
    webhook.save(update_fields=[*CLEAN_RECORD])
    if result.status == GONE:
        _switch_off(webhook, DisabledReason.GONE, AlertKind.GONE, now)
    elif _has_failed_for_days(webhook, now):
        _switch_off(webhook, DisabledReason.FAILING, AlertKind.FAILING, now)
    elif is_news and webhook.is_active:
        raise_alert(AlertKind.UNHEALTHY, webhook.id, delivery=None, now=now)


def _pause() -> timedelta:
    return timedelta(seconds=settings.WEBHOOK_RETRY_SECONDS[0] / PAUSES_IN_FIRST_STEP)


def _has_failed_for_days(webhook: Webhook, now: datetime) -> bool:
    """Return whether nothing has succeeded for days, over at least one whole round of attempts."""
    since = webhook.failing_since
    enough = webhook.failures >= max_attempts(settings.WEBHOOK_RETRY_SECONDS)
    return enough and since is not None and since <= now - SWITCH_OFF_AFTER


def _switch_off(webhook: Webhook, reason: DisabledReason, kind: AlertKind, now: datetime) -> None:
    if not webhook.is_active or webhook.deleted_at is not None:
        return
    webhook.is_active = False
    webhook.disabled_reason = reason
    webhook.updated_at = now
    webhook.save(update_fields=["is_active", "disabled_reason", "updated_at"])
    raise_alert(kind, webhook.id, delivery=None, now=now)
