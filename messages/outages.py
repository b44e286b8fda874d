"""Outages of the mail server and of the SMS gateway: what was last seen, and when to try again.

While one cannot be reached, its messages wait untouched; one attempt a minute finds out whether it
is back. The row is shared by all processes, since each turn may run in another one.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

import structlog
from django.db.models import F

from messages.models import Channel, Outage

FIRST_WAIT = timedelta(seconds=5)
LONGEST_WAIT = timedelta(minutes=1)
# A failure that is older says nothing about now: only sign-in codes may have tried since.
CURRENT_WITHIN = timedelta(minutes=5)
MOST_WORDS = 200

logger = structlog.get_logger(__name__)


class Route:
    """The way of one channel's messages during one turn."""

    def __init__(self, channel: Channel, outage: Outage | None, now: datetime) -> None:
        self.channel, self._outage, self._now = channel, outage, now
        self.is_lost = outage is not None and now < outage.retry_at

    def lose(self, reason: str) -> None:
        """Note that the server was not reached; nothing more is sent in this turn."""
        self.is_lost = True
        failures = note_outage(self.channel, reason, now=self._now)
        wait = min(LONGEST_WAIT, FIRST_WAIT * 2 ** min(failures - 1, 10))
        Outage.objects.filter(channel=self.channel).update(retry_at=self._now + wait)

    def find(self) -> None:
        """Note that the server was reached."""
        if self._outage is None:
            return
        self._outage.delete()
        since = self._outage.since
        logger.warning("message_server_back", channel=str(self.channel), away_since=str(since))
        self._outage = None

    def until_lost(self, message_ids: Iterable[str]) -> Iterator[str]:
        """Yield the ids for as long as the server is reached."""
        for message_id in message_ids:
            if self.is_lost:
                return
            yield message_id


def routes(now: datetime) -> dict[Channel, Route]:
    """Return the route of each channel."""
    known = {outage.channel: outage for outage in Outage.objects.all()}
    return {channel: Route(channel, known.get(channel), now) for channel in Channel}


def note_outage(channel: Channel, reason: str, *, now: datetime) -> int:
    """Note an attempt that did not reach the server, in one line of the log as well.

    Returns how many there have been. Only a turn's own attempt postpones the next one: anyone can
    request sign-in codes, and while some of them fail, messages would wait for good.
    """
    reason = reason[:MOST_WORDS]
    Outage.objects.filter(channel=channel, failed_at__lt=now - CURRENT_WITHIN).delete()
    outage, is_new = Outage.objects.get_or_create(
        channel=channel,
        defaults={
            "since": now,
            "failed_at": now,
            "failures": 1,
            "retry_at": now + FIRST_WAIT,
            "reason": reason,
        },
    )
    if not is_new:
        Outage.objects.filter(channel=channel).update(
            failures=F("failures") + 1, failed_at=now, reason=reason
        )
    failures = 1 if is_new else outage.failures + 1
    logger.warning("message_server_away", channel=str(channel), reason=reason, failures=failures)
    return failures


def seconds_away(now: datetime) -> dict[str, float]:
    """Return for how long each server has been away; one that is not away is left out."""
    current = Outage.objects.filter(failed_at__gte=now - CURRENT_WITHIN)
    rows = current.values_list("channel", "since")
    return {channel: max(0.0, (now - since).total_seconds()) for channel, since in rows}
