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
REASON_CHARACTERS = 200

logger = structlog.get_logger(__name__)


class ServerState:
    """Whether the server of one channel is reached, as far as one turn has found out."""

    def __init__(self, channel: Channel, outage: Outage | None, now: datetime) -> None:
        self.channel, self._outage, self._now = channel, outage, now
        self.is_away = outage is not None and now < outage.retry_at

    def note_unreached(self, reason: str) -> None:
        """Note that the server was not reached; nothing more is sent in this turn."""
        self.is_away = True
        failures = note_outage(self.channel, reason, now=self._now)
        wait = min(LONGEST_WAIT, FIRST_WAIT * 2 ** min(failures - 1, 10))
        Outage.objects.filter(channel=self.channel).update(retry_at=self._now + wait)

    def note_reached(self) -> None:
        """Note that the server was reached, which ends an outage."""
        if self._outage is not None:
            end_outage(self.channel)
        self._outage = None

    def while_reached(self, message_ids: Iterable[str]) -> Iterator[str]:
        """Yield the ids for as long as the server is reached."""
        for message_id in message_ids:
            if self.is_away:
                return
            yield message_id


def server_states(now: datetime) -> dict[Channel, ServerState]:
    """Return the state of each channel's server at the beginning of a turn."""
    known = {outage.channel: outage for outage in Outage.objects.all()}
    return {channel: ServerState(channel, known.get(channel), now) for channel in Channel}


def note_outage(channel: Channel, reason: str, *, now: datetime) -> int:
    """Note an attempt that did not reach the server, in the row and in one line of the log.

    Returns how many there have been. Only a turn's own attempt postpones the next one: anyone can
    request sign-in codes, and while some of them fail, messages would wait for good.
    """
    reason = reason[:REASON_CHARACTERS]
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


def end_outage(channel: Channel) -> None:
    """Note that the server was reached, in a line of the log if it had been away."""
    outage = Outage.objects.filter(channel=channel).first()
    if outage is None:
        return
    outage.delete()
    logger.warning("message_server_back", channel=str(channel), away_since=str(outage.since))


def seconds_away(now: datetime) -> dict[str, float]:
    """Return for how long each server has been away; one that is not away is left out."""
    current = Outage.objects.filter(failed_at__gte=now - CURRENT_WITHIN)
    rows = current.values_list("channel", "since")
    return {channel: max(0.0, (now - since).total_seconds()) for channel, since in rows}
