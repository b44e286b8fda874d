"""Whether the shop was notified of the outcome of a payment."""

from dataclasses import dataclass
from datetime import datetime

from backoffice.formats import clock
from payments.models import Payment
from payments.statuses import FINAL, PaymentStatus
from webhooks.event_types import EventType
from webhooks.models import Delivery, Event
from webhooks.statuses import DeliveryStatus

_ENDINGS = {
    PaymentStatus.COMPLETED: EventType.PAYMENT_COMPLETED,
    PaymentStatus.FAILED: EventType.PAYMENT_FAILED,
    PaymentStatus.EXPIRED: EventType.PAYMENT_EXPIRED,
    PaymentStatus.CANCELED: EventType.PAYMENT_CANCELED,
}


@dataclass(frozen=True)
class WebhookAnswer:
    """One sentence about the webhooks, and whether they are in trouble."""

    words: str
    is_trouble: bool = False


def webhook_answer_of(payment: Payment, now: datetime) -> WebhookAnswer | None:
    """Return how the last event of a finished payment reached the shop; None: not finished."""
    status = PaymentStatus(payment.status)
    if status not in FINAL:
        return None
    event = Event.objects.filter(resource_id=payment.pk, type=_ENDINGS[status]).first()
    if event is None:
        return None
    rows = event.deliveries.select_related("webhook").order_by("created_at", "pk")
    deliveries = list(rows[:20])
    if not deliveries:
        return WebhookAnswer("The shop has no webhook for this event: it has to poll the status.")
    troubled = [row for row in deliveries if row.status != DeliveryStatus.DELIVERED]
    return _trouble(troubled[0], now) if troubled else _arrived(deliveries, now)


def _arrived(deliveries: list[Delivery], now: datetime) -> WebhookAnswer:
    last = max(row.ended_at for row in deliveries if row.ended_at)
    return WebhookAnswer(f"The shop was notified {clock(last, now)}.")


def _trouble(delivery: Delivery, now: datetime) -> WebhookAnswer:
    tries = f"{delivery.attempt_count} time{'s' if delivery.attempt_count != 1 else ''}"
    if delivery.status == DeliveryStatus.PENDING:
        if not delivery.attempt_count:
            return _first_try(delivery, now)
        at = clock(delivery.next_attempt_at, now) if delivery.next_attempt_at else ""
        return WebhookAnswer(
            f"Webhook to the shop failed {tries}, next attempt {at}.", is_trouble=True
        )
    if delivery.status == DeliveryStatus.CANCELED:
        return WebhookAnswer(
            "The shop was not notified: it has deleted its webhook.", is_trouble=True
        )
    return WebhookAnswer(
        f"The shop was not notified: the webhook failed {tries} and will not be retried.",
        is_trouble=True,
    )


def _first_try(delivery: Delivery, now: datetime) -> WebhookAnswer:
    """Nothing was sent yet: a moment after the payment, or because the shop's server is failing."""
    since = delivery.webhook.failing_since
    if since is None:
        return WebhookAnswer("The shop is being notified.")
    words = f"its server has been failing since {clock(since, now)}"
    return WebhookAnswer(f"The shop has not been notified yet: {words}.", is_trouble=True)
