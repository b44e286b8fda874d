"""Whether the shop was notified of the outcome of a payment, and how each endpoint is."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from backoffice.formats import age, clock, counted, tone
from backoffice.page_parts import SupportAnswer
from core.clock import request_now
from merchants.models import Merchant
from messages.models import Message, MessageStatus
from payments.models import Payment
from payments.statuses import FINAL, PaymentStatus
from webhooks.endpoint_health import (
    COUNTED,
    EndpointHealth,
    NextAttempt,
    health_of,
    next_attempt_of,
)
from webhooks.endpoint_outages import outages_met, waited_in
from webhooks.event_types import EventType
from webhooks.models import Attempt, Delivery, EndpointOutage, Event, Webhook
from webhooks.statuses import AlertKind, DeliveryStatus

MOST_ENDPOINTS = 20
FAILING_SHOWN = 5
OUTAGES_READ = 100
LATE = timedelta(minutes=1)
THE_SHOP = "the shop"
_ENDINGS = {
    PaymentStatus.COMPLETED: EventType.PAYMENT_COMPLETED,
    PaymentStatus.FAILED: EventType.PAYMENT_FAILED,
    PaymentStatus.EXPIRED: EventType.PAYMENT_EXPIRED,
    PaymentStatus.CANCELED: EventType.PAYMENT_CANCELED,
}


def webhook_answer_of(payment: Payment, now: datetime) -> SupportAnswer:
    """Return how the last event of a payment reached the shop; empty if it is not finished.

    It has a sentence per endpoint, with those in trouble apart.
    """
    status = PaymentStatus(payment.status)
    if status not in FINAL:
        return SupportAnswer([])
    event = Event.objects.filter(resource_id=payment.pk, type=_ENDINGS[status]).first()
    if event is None:
        return SupportAnswer([])
    rows = event.deliveries.select_related("webhook").order_by("created_at", "pk")
    deliveries = list(rows[:MOST_ENDPOINTS])
    if not deliveries:
        words = "The shop had no webhook for this event: it has to poll the status."
        return SupportAnswer([words])
    names = names_of([row.webhook.url for row in deliveries])
    outages = outages_met([row for row in deliveries if row.ended_at], most=OUTAGES_READ, now=now)
    sentences = [
        (_sentence(row, names[row.webhook.url], outages, now), _is_trouble(row))
        for row in deliveries
    ]
    return SupportAnswer(
        [words for words, is_trouble in sentences if not is_trouble],
        troubles=[words for words, is_trouble in sentences if is_trouble],
    )


def delivery_answer_of(delivery: Delivery, now: datetime) -> SupportAnswer:
    """Return whether one event has reached one endpoint, which is named by its host."""
    outages = outages_met([delivery], most=OUTAGES_READ, now=now)
    words = _sentence(delivery, host_of(delivery.webhook.url), outages, now)
    is_bad = _is_trouble(delivery) and delivery.status != DeliveryStatus.CANCELED
    return SupportAnswer([words], "bad" if is_bad else tone(delivery.status))


def names_of(urls: Sequence[str]) -> dict[str, str]:
    """Return a name for each endpoint: the shop if it has only one, else its host or URL."""
    return {urls[0]: THE_SHOP} if len(set(urls)) == 1 else host_names(urls)


def host_names(urls: Sequence[str]) -> dict[str, str]:
    """Return the host of each endpoint, or its URL where several have the same host."""
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
        return f"{error[0].lower()}{error[1:]} ({attempt.ms}\u00a0ms)"
    return f"answered {attempt.status} in {attempt.ms}\u00a0ms"


def attempts_in_a_row(count: int) -> str:
    """Return how many attempts failed, one after the other: "1 attempt", "7 attempts in a row"."""
    return counted(count, "attempt") if count == 1 else f"{counted(count, 'attempt')} in a row"


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


def _sentence(
    delivery: Delivery, name: str, outages: Sequence[EndpointOutage], now: datetime
) -> str:
    subject = f"{name[0].upper()}{name[1:]}" if name == THE_SHOP else name
    times = "once" if delivery.attempt_count == 1 else counted(delivery.attempt_count, "time")
    if delivery.status == DeliveryStatus.DELIVERED and delivery.ended_at:
        late = _late_words(delivery, delivery.ended_at, outages, now)
        return f"{subject} was notified {clock(delivery.ended_at, now)}{late}."
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


def _late_words(
    delivery: Delivery, ended_at: datetime, outages: Sequence[EndpointOutage], now: datetime
) -> str:
    """Say that a delivery waited for its endpoint to work again; empty if it hardly did."""
    met = [outage for outage in outages if waited_in(outage, delivery)]
    if not met or ended_at - delivery.created_at < LATE:
        return ""
    late, since = age(delivery.created_at, ended_at), clock(met[-1].since, now)
    return f", {late} late: its server had been failing since {since}"


def _still_waiting(delivery: Delivery, subject: str, name: str, times: str, now: datetime) -> str:
    following = f"next attempt {attempt_words(next_attempt_of(delivery, now), now)}"
    since = delivery.webhook.failing_since
    failing = f"its server has been failing since {clock(since, now)}" if since else ""
    if since and (error := delivery.webhook.last_error.rstrip(".")):
        failing += f" ({error[0].lower()}{error[1:]})"
    if not delivery.attempt_count:
        return f"{subject} has not been notified yet: {failing}, {following}."
    words = f"Webhook to {name} failed {times}, {following}"
    return f"{words}; {failing}." if failing else f"{words}."


def failing_sentences(webhook: Webhook, now: datetime, begun: str = "Failing") -> list[str]:
    """Describe since when an endpoint fails, why, and what happens to what waits there."""
    if webhook.failing_since is None:
        return []
    health = health_of(webhook, now)
    times = attempts_in_a_row(webhook.failures)
    words = [f"{begun} since {clock(webhook.failing_since, now)}: {times}. {webhook.last_error}"]
    following = attempt_words(health.next_attempt, now)
    if following:
        waiting = "1 delivery waits" if health.waiting == 1 else f"{_count(health)} deliveries wait"
        words.append(f"{waiting} for it. Next attempt: {following}.")
    if webhook.alarmed_at:
        words.append(_alert_words(webhook, now))
    return [sentence.strip() for sentence in words]


def waiting_words(webhook: Webhook) -> str:
    """Return how many deliveries wait for a failing endpoint, and when it is called next."""
    if webhook.failing_since is None:
        return ""
    now = request_now()
    health = health_of(webhook, now)
    following = attempt_words(health.next_attempt, now)
    return f"{_count(health)}, next attempt {following}" if following else ""


def endpoints_in_trouble(merchant: Merchant, now: datetime) -> list[str]:
    """Describe a merchant's failing endpoints, the longest failing first."""
    if not getattr(merchant, "has_failing", True):
        return []
    failing = Webhook.objects.failing().filter(merchant=merchant)[:FAILING_SHOWN]
    names = host_names([webhook.url for webhook in failing])
    return [
        " ".join(failing_sentences(webhook, now, f"{names[webhook.url]} has been failing"))
        for webhook in failing
    ]


def _alert_words(webhook: Webhook, now: datetime) -> str:
    """State when the merchant was notified, or that the e-mail could not be sent."""
    about = Message.objects.filter(about=webhook.pk, kind=AlertKind.UNHEALTHY)
    last = about.order_by("-pk").first()
    if last is not None and last.waits_for_staff(now):
        return "The e-mail to the merchant about it could not be sent."
    if last is not None and last.sent_at is not None:
        return f"The merchant was told by e-mail {clock(last.sent_at, now)}."
    if last is not None and last.status in (MessageStatus.PLANNED, MessageStatus.SENDING):
        return "The merchant is being told by e-mail."
    return "The merchant was sent no e-mail."


def _count(health: EndpointHealth) -> str:
    return f"{COUNTED:,}+" if health.waiting > COUNTED else f"{health.waiting:,}"
