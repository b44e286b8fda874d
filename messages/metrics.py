"""Metrics of e-mails and text messages, collected when they are scraped."""

from django.db.models import Count, Min

from core.database_clock import database_now
from core.latest_gauge import LatestGauge
from messages.models import Channel, Message, MessageStatus
from messages.outages import seconds_away

longest_wait = LatestGauge(
    "messages_longest_wait_seconds",
    "How long the oldest due message has been waiting.",
    ["channel"],
)
unsent = LatestGauge(
    "messages_unsent",
    "How many messages were refused, given up or interrupted, and wait for staff.",
    ["channel"],
)

retried = LatestGauge(
    "messages_retried",
    "How many messages have failed temporarily and will be retried.",
    ["channel"],
)
server_away = LatestGauge(
    "messages_server_away_seconds",
    "How long the mail server or the SMS gateway has not been reached; 0: it was, when last tried.",
    ["channel"],
)


def collect() -> None:
    """Set the gauges, using the index on status."""
    now = database_now()
    waiting = dict(Message.objects.due(now).values_list("channel").annotate(Min("due_at")))
    tried = Message.objects.filter(status=MessageStatus.PLANNED, attempts__gt=0)
    again = dict(tried.values_list("channel").annotate(Count("pk")))
    kept = dict(Message.objects.unsent(now).values_list("channel").annotate(Count("pk")))
    away = seconds_away(now)
    for channel in Channel.values:
        server_away.labels(channel).set(away.get(channel, 0))
        due_at = waiting.get(channel, now)
        longest_wait.labels(channel).set(max(0.0, (now - due_at).total_seconds()))
        retried.labels(channel).set(again.get(channel, 0))
        unsent.labels(channel).set(kept.get(channel, 0))
