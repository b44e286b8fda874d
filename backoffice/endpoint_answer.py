"""The state of an endpoint in words: since when it fails, what waits, when it is tried next."""

from datetime import datetime

from backoffice.formats import clock, counted
from backoffice.webhook_answer import attempt_words, host_of
from core.clock import request_now
from messages.models import Message, MessageStatus
from webhooks.endpoint_health import COUNTED, EndpointHealth, health_of
from webhooks.models import Webhook
from webhooks.statuses import AlertKind

SHOWN = 5


def failing_sentences(webhook: Webhook, now: datetime, begun: str = "Failing") -> list[str]:
    """Describe since when an endpoint fails, why, and what happens to what waits there."""
    if webhook.failing_since is None:
        return []
    health = health_of(webhook, now)
    times = f"{counted(webhook.failures, 'attempt')} in a row"
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


def endpoints_in_trouble(merchant_id: str, now: datetime) -> list[str]:
    """Describe a merchant's failing endpoints, the longest failing first."""
    failing = Webhook.objects.failing().filter(merchant_id=merchant_id)[:SHOWN]
    return [
        failing_sentences(webhook, now, f"{host_of(webhook.url)} has been failing")[0]
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
