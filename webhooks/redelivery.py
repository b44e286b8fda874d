"""Redelivery: one delivery at once, or in the background all that failed since an instant."""

from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from core.database_clock import due_immediately
from core.errors import Conflict, ValidationFailed
from merchants.callers import Caller
from webhooks.delivery.backlog import with_pending
from webhooks.delivery.wakeup import wake_up
from webhooks.log_prices import note_logs
from webhooks.models import Delivery, Webhook
from webhooks.statuses import DeliveryStatus

RECOVERY_BATCH = 100
CLOSE_BATCH = 500


@transaction.atomic
def retry_delivery(*, caller: Caller, webhook_id: str, delivery_id: str, now: datetime) -> Delivery:
    """Send a delivery again at once.

    One that has ended starts a new round of attempts; one that waits keeps its scheduled attempts,
    and this one comes on top of them.

    Raises WebhookNotFound, DeliveryNotFound, ValidationFailed if the endpoint is switched off,
    Conflict while an attempt is under way. Serves POST /v1/webhooks/:id/deliveries/:id/retry.
    """
    webhook = Webhook.objects.visible_to(caller).not_deleted().locked(webhook_id)
    refuse_switched_off(webhook)
    delivery = (
        Delivery.objects.select_for_update(no_key=True, of=("self",))
        .filter(webhook=webhook)
        .one(delivery_id)
    )
    if delivery.lease_token:
        raise Conflict("An attempt is under way.")
    waits = delivery.status == DeliveryStatus.PENDING
    # The claim will add one to the round; for one that waits, that is taken off beforehand.
    Delivery.objects.filter(pk=delivery.pk).update(
        status=DeliveryStatus.PENDING,
        next_attempt_at=due_immediately(),
        round_attempts=max(delivery.round_attempts - 1, 0) if waits else 0,
        ended_at=None,
    )
    Webhook.objects.filter(pk=webhook.pk).update(paused_until=None)
    note_logs(1, livemode=webhook.livemode)
    transaction.on_commit(wake_up, robust=True)
    delivery.refresh_from_db()
    return delivery


@transaction.atomic
def request_recovery(
    *, caller: Caller, webhook_id: str, since: datetime, now: datetime
) -> tuple[Webhook, int]:
    """Request redelivery of what was created since then and has failed; return how many.

    Raises WebhookNotFound, ValidationFailed if the endpoint is switched off or `since` is in the
    future. Serves POST /v1/webhooks/:id/recover.
    """
    if since > now:
        raise ValidationFailed(since="must not lie in the future")
    webhook = Webhook.objects.visible_to(caller).not_deleted().locked(webhook_id)
    refuse_switched_off(webhook)
    webhook.recover_since = min(webhook.recover_since or since, since)
    webhook.recover_until = webhook.paused_until = None
    webhook.save(update_fields=["recover_since", "recover_until", "paused_until"])
    Webhook.objects.filter(pk=webhook.pk).update(recover_until=due_immediately())
    webhook.refresh_from_db()
    count = _failed(webhook).count()
    note_logs(count, livemode=webhook.livemode)
    return webhook, count


def refuse_switched_off(webhook: Webhook) -> None:
    """Raise ValidationFailed if nothing would be sent."""
    if not webhook.is_active:
        raise ValidationFailed(is_active="must be true: the endpoint is switched off")


def continue_recoveries(*, now: datetime) -> int:
    """Schedule the next batch of each recovery, as fast as it is sent; return how many.

    Only a batch is due at a time, so that new events do not queue behind thousands of old ones.
    """
    wanting = unfinished_recoveries().values_list("pk", flat=True)
    return sum(_continue_recovery(pk, now) for pk in list(wanting))


def unfinished_recoveries() -> QuerySet[Webhook]:
    """Return the endpoints with a recovery that has batches left."""
    return Webhook.objects.switched_on().filter(recover_since__isnull=False)


@transaction.atomic
def _continue_recovery(webhook_id: str, now: datetime) -> int:
    webhook = Webhook.objects.select_for_update(no_key=True).get(pk=webhook_id)
    if webhook.recover_since is None:
        return 0
    pending = Delivery.objects.pending().filter(webhook=webhook).order_by("next_attempt_at", "id")
    first = pending.values_list("next_attempt_at", flat=True)[:RECOVERY_BATCH]
    room = RECOVERY_BATCH - sum(at is not None and at <= now for at in first)
    ids = list(_failed(webhook).order_by("created_at", "id").values_list("pk")[:room])
    again = Delivery.objects.filter(pk__in=[pk for (pk,) in ids])
    count = again.update(
        status=DeliveryStatus.PENDING,
        next_attempt_at=due_immediately(),
        round_attempts=0,
        ended_at=None,
    )
    if room > count:
        webhook.recover_since = webhook.recover_until = None
        webhook.save(update_fields=["recover_since", "recover_until"])
    return count


def _failed(webhook: Webhook) -> QuerySet[Delivery]:
    return Delivery.objects.exhausted().filter(
        event__is_test=False,
        webhook=webhook,
        created_at__gte=webhook.recover_since,
        ended_at__lte=webhook.recover_until,
    )


def close_undeliverable(*, now: datetime) -> int:
    """Close pending deliveries of endpoints that are switched off or deleted; return how many.

    Those that failed because their endpoint was off can be recovered once it is on again.
    """
    idle = with_undeliverable().values_list("pk", flat=True)
    return sum(_close_undeliverable_of(pk, now) for pk in list(idle))


def with_undeliverable() -> QuerySet[Webhook]:
    """Return the endpoints, switched off or deleted, that have pending deliveries."""
    return with_pending(Webhook.objects.filter(~Q(deleted_at=None) | Q(is_active=False)))


@transaction.atomic
def _close_undeliverable_of(webhook_id: str, now: datetime) -> int:
    webhook = Webhook.objects.select_for_update(no_key=True).get(pk=webhook_id)
    if webhook.is_active and webhook.deleted_at is None:
        return 0
    status = DeliveryStatus.CANCELED if webhook.deleted_at else DeliveryStatus.FAILED
    # A test event belongs to its request for the first seconds, even if the endpoint is off.
    idle = Q(lease_token="", event__is_test=False) | Q(next_attempt_at__lte=now)
    free = Delivery.objects.pending().filter(idle, webhook=webhook)
    ids = list(free.values_list("pk", flat=True)[:CLOSE_BATCH])
    return free.filter(pk__in=ids).update(
        status=status, next_attempt_at=None, lease_token="", ended_at=now
    )
