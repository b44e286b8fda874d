"""A test event, sent while the merchant waits for the outcome.

The event and its delivery are committed first, under the Idempotency-Key if there is one; the call
is made after that, in no transaction. A repeated request gets the outcome of the same delivery, and
if the first process died before the call, the repeated request or the sweep makes it.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.db import transaction

from core.errors import ValidationFailed
from merchants.callers import Caller
from webhooks.event_types import EventType
from webhooks.models import Delivery, Event, Webhook
from webhooks.outbox import MerchantInMode, deliver_to_subscribed, first_delivery, write_event
from webhooks.sample_changes import changed_sample
from webhooks.samples import sample_of

# The request has this long to claim its own delivery before the sweep takes it.
HEAD_START = timedelta(seconds=5)


@transaction.atomic
def start_test_delivery(
    *,
    caller: Caller,
    webhook_id: str,
    event_type: EventType,
    data: Mapping[str, object],
    now: datetime,
) -> Delivery:
    """Write a sample event for one endpoint, which `attempt_now` sends.

    `data` changes the sample as `changed_sample` does; the merchant stays the webhook's own. In
    live mode it is refused: a key that may only write webhooks could have us sign that a payment of
    the shop's own is completed. Raises WebhookNotFound, ValidationFailed. Serves POST
    /v1/webhooks/test, with `attempt_now`.
    """
    if data and caller.livemode:
        raise ValidationFailed(data="needs a test key")
    webhook = Webhook.objects.visible_to(caller).not_deleted().one(webhook_id)
    sample = sample_of(event_type, merchant_id=webhook.merchant_id)
    changed = changed_sample(event_type, sample, data)
    event = write_event(event_type, about=webhook, data=changed, now=now, is_test=True)
    delivery = first_delivery(event, webhook.id, now)
    delivery.next_attempt_at = now + HEAD_START
    delivery.save(force_insert=True)
    return delivery


@transaction.atomic
def send_sample_event(
    *, caller: Caller, event_type: EventType, data: Mapping[str, object], now: datetime
) -> tuple[Event, int]:
    """Send a sample to every endpoint subscribed to it; return the event and their number.

    Raises ValidationFailed without a merchant.
    """
    merchant = caller.owner
    about = MerchantInMode(merchant.id, merchant.id, caller.livemode)
    event = write_event(event_type, about=about, data=data, now=now, is_test=True)
    return event, deliver_to_subscribed(event, now=now)
