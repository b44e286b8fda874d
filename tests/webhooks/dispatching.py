"""Events to send, and the dispatcher's work in the test's own thread, at any instant."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from core.clock import utc_now
from core.database_clock import database_now
from core.ids import new_id
from merchants.callers import Caller
from merchants.models import Merchant
from webhooks.delivery.attempts import attempt_and_record
from webhooks.delivery.lanes import Lane
from webhooks.delivery.leases import claim_due_deliveries
from webhooks.endpoints import create_webhook
from webhooks.event_types import EventType
from webhooks.models import Delivery, Event, Webhook
from webhooks.outbox import emit, write_event
from webhooks.samples import sample_of

MANY = dict.fromkeys(Lane, 64)


@dataclass(frozen=True)
class Thing:
    """What an event of these tests is about."""

    merchant_id: str
    livemode: bool = False
    id: str = "pay_1"


def endpoint_of(merchant: Merchant, url: str) -> Webhook:
    """Register an endpoint at this address for every event."""
    caller = Caller(merchant, livemode=False, actor="tests")
    return create_webhook(
        caller=caller, url=url, events=["*"], description="", now=utc_now()
    ).webhook


def emit_event(
    merchant: Merchant,
    event_type: EventType = EventType.PAYMENT_COMPLETED,
    *,
    livemode: bool = False,
    data: dict[str, Any] | None = None,
    about: str | None = None,
) -> Event:
    """Write an event, as the operation that makes it true would; about an object of its own."""
    with transaction.atomic():
        return emit(
            event_type,
            about=Thing(merchant.id, livemode, about or new_id("pay", utc_now())),
            data=sample_of(event_type) if data is None else data,
            now=utc_now(),
        )


def send_due(at: datetime | None = None) -> int:
    """Send what is due at the instant; return how many attempts that was."""
    claims = claim_due_deliveries(free=MANY, now=at or database_now()).taken
    for claim in claims:
        attempt_and_record(claim)
    return len(claims)


def only_delivery(webhook: Webhook) -> Delivery:
    return Delivery.objects.with_log().get(webhook=webhook)


def told(webhook: Webhook, name: str, at: datetime, *, is_test: bool = False, **values: Any) -> str:
    """Write a delivery of an endpoint, without `values` one that failed after five attempts."""
    about = Thing(webhook.merchant_id)
    event = write_event(EventType.PAYMENT_COMPLETED, about=about, data={}, now=at, is_test=is_test)
    row = {"status": "failed", "round_attempts": 5, "created_at": at, "ended_at": at} | values
    return Delivery.objects.create(id=f"dlv_{name}", event=event, webhook=webhook, **row).pk


def waiting(at: datetime) -> dict[str, Any]:
    return {"status": "pending", "next_attempt_at": at, "ended_at": None}
