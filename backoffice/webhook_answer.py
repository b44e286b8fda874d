"""Whether the shop was notified of the outcome of a payment, endpoint by endpoint."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from backoffice.formats import clock, counted
from payments.models import Payment
from payments.statuses import FINAL, PaymentStatus
from webhooks.endpoint_health import NextAttempt, next_attempt_of
from webhooks.event_types import EventType
from webhooks.models import Attempt, Delivery, Event
from webhooks.statuses import DeliveryStatus

MOST_ENDPOINTS = 20
THE_SHOP = "the shop"
_ENDINGS = {
    PaymentStatus.COMPLETED: EventType.PAYMENT_COMPLETED,
    PaymentStatus.FAILED: EventType.PAYMENT_FAILED,
    PaymentStatus.EXPIRED: EventType.PAYMENT_EXPIRED,
    PaymentStatus.CANCELED: EventType.PAYMENT_CANCELED,
}


@dataclass(frozen=True)
class WebhookAnswer:
    """A sentence per endpoint, with those in trouble apart."""

    words: Sequence[str] = ()
    troubles: Sequence[str] = ()


def webhook_answer_of(payment: Payment, now: datetime) -> WebhookAnswer:
    """Return how the last event of a payment reached the shop; empty if it is not finished."""
    status = PaymentStatus(payment.status)
    if status not in FINAL:
        return WebhookAnswer()
    event = Event.objects.filter(resource_id=payment.pk, type=_ENDINGS[status]).first()
    if event is None:
        return WebhookAnswer()
    rows = event.deliveries.select_related("webhook").order_by("created_at", "pk")
    deliveries = list(rows[:MOST_ENDPOINTS])
    if not deliveries:
        words = "The shop had no webhook for this event: it has to poll the status."
        return WebhookAnswer([words])
    names = names_of([row.webhook.url for row in deliveries])
    sentences = [
        (_sentence(row, names[row.webhook.url], now), _is_trouble(row)) for row in deliveries
    ]
    return WebhookAnswer(
        [words for words, is_trouble in sentences if not is_trouble],
        [words for words, is_trouble in sentences if is_trouble],
    )


def names_of(urls: Sequence[str]) -> dict[str, str]:
    """Return a name for each endpoint: the shop if it has only one, else its host or URL."""
    if len(set(urls)) == 1:
        return {urls[0]: THE_SHOP}
    hosts = Counter(host_of(url) for url in set(urls))
    return {url: host_of(url) if hosts[host_of(url)] == 1 else url for url in urls}


def host_of(url: str) -> str:
    """Return the host and port of an endpoint, as people name it."""
    return urlsplit(url).netloc or url


def attempt_words(next_attempt: NextAttempt | None, now: datetime) -> str:
    """Return when the next attempt is due; empty if none is. Never an instant in the past."""
    if next_attempt is None:
        return ""
    if next_attempt.is_under_way:
        return "under way"
    return clock(next_attempt.at, now) if next_attempt.at else "at any moment"


def attempt_outcome(attempt: Attempt) -> str:
    """Return the outcome of an attempt: "answered 200 in 31 ms", or why there was none."""
    error = attempt.error.rstrip(".")
    if error:
        return f"{error[0].lower()}{error[1:]} ({attempt.ms} ms)"
    return f"answered {attempt.status} in {attempt.ms} ms"


def attempt_sentence(delivery: Delivery, attempt: Attempt) -> str:
    """Return the outcome of an attempt just made, as a sentence."""
    host = host_of(delivery.webhook.url)
    if delivery.status == DeliveryStatus.DELIVERED:
        return f"{host} {attempt_outcome(attempt)}."
    return f"{host} did not accept it: {attempt_outcome(attempt)}."


def _is_trouble(delivery: Delivery) -> bool:
    if delivery.status == DeliveryStatus.PENDING and not delivery.attempt_count:
        return delivery.webhook.failing_since is not None
    return delivery.status != DeliveryStatus.DELIVERED


def _sentence(delivery: Delivery, name: str, now: datetime) -> str:
    subject = f"{name[0].upper()}{name[1:]}" if name == THE_SHOP else name
    times = "once" if delivery.attempt_count == 1 else counted(delivery.attempt_count, "time")
    if delivery.status == DeliveryStatus.DELIVERED and delivery.ended_at:
        return f"{subject} was notified {clock(delivery.ended_at, now)}."
    if delivery.status == DeliveryStatus.CANCELED:
        return f"{subject} was not notified: it has deleted its webhook."
    if delivery.status == DeliveryStatus.FAILED:
        return (
            f"{subject} was not notified: the webhook failed {times} and will not be retried."
            if delivery.webhook.is_active
            else f"{subject} was not notified: its webhook is switched off."
        )
    if not delivery.attempt_count and delivery.webhook.failing_since is None:
        return f"{subject} is being notified."
    return _still_waiting(delivery, subject, name, times, now)


def _still_waiting(delivery: Delivery, subject: str, name: str, times: str, now: datetime) -> str:
    following = f"next attempt {attempt_words(next_attempt_of(delivery, now), now)}"
    since = delivery.webhook.failing_since
    failing = f"its server has been failing since {clock(since, now)}" if since else ""
    if not delivery.attempt_count:
        return f"{subject} has not been notified yet: {failing}, {following}."
    words = f"Webhook to {name} failed {times}, {following}"
    return f"{words}; {failing}." if failing else f"{words}."
