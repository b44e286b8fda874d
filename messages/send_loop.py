"""Send the messages that are due: claim one, send it with no transaction open, record the outcome.

One that a crash interrupts stays in `sending`. Unless it is repeatable, it is not sent again but
waits for staff.
"""

import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial

import structlog
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.core.mail import get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db.models import Case, F, When

from core.sweeping import sweep
from messages import email, sms
from messages.content import Content, content_of
from messages.errors import Fault, MessageNotSent
from messages.models import Channel, Message, MessageStatus
from messages.outages import ServerState, server_states
from messages.redirection import Undeliverable, readdressed

BATCH = 500
TURN_SECONDS = 5  # per channel, so that one that hangs does not hold up the other
LEASE = timedelta(minutes=2)  # longer than a server may take to answer
RETRY_WAITS = (
    timedelta(minutes=1),
    timedelta(minutes=10),
    timedelta(hours=1),
    timedelta(hours=6),
    timedelta(hours=24),
)

Send = Callable[[Message, Content], None]

logger = structlog.get_logger(__name__)


def send_due_messages(*, now: datetime) -> int:
    """Send what is due and still needed; return how many messages went out.

    While its server cannot be reached, a message waits untouched; so do texts while `SMS_STOP` is
    set.
    """
    states = server_states(now)
    return _send_texts(states[Channel.SMS], now) + _send_emails(states[Channel.EMAIL], now)


def _send_texts(state: ServerState, now: datetime) -> int:
    if settings.SMS_STOP or state.is_away:
        return 0
    due = state.while_reached(_due(Channel.SMS, now))
    return sweep("send texts", partial(_send, _text, state, now), due)


def _send_emails(state: ServerState, now: datetime) -> int:
    if state.is_away:
        return 0
    server = get_connection()
    send = partial(email.send, server=server)
    try:
        due = _reachable(server, state, now)
        return sweep("send e-mails", partial(_send, send, state, now), due)
    finally:
        server.close()


def _reachable(server: BaseEmailBackend, state: ServerState, now: datetime) -> Iterator[str]:
    """Yield the ids of due e-mails, each once the connection to the server is open."""
    for message_id in _due(Channel.EMAIL, now):
        try:
            server.open()
        except OSError as error:
            state.note_unreached(f"{type(error).__name__}: {error}")
            return
        state.note_reached()
        yield message_id


def _due(channel: Channel, now: datetime) -> Iterator[str]:
    """Yield the ids of due messages until the turn is over: urgent ones first, then the oldest.

    Those of tests come last, as anyone can plan as many as they like.
    """
    urgent = When(kind__in=settings.URGENT_MESSAGES, then=0)
    can_wait = Case(urgent, When(livemode=False, then=2), default=1)
    due = Message.objects.due(now).filter(channel=channel).order_by(can_wait, "due_at", "id")
    ends_at = time.monotonic() + TURN_SECONDS
    for message_id in list(due.values_list("id", flat=True)[:BATCH]):
        if time.monotonic() > ends_at:
            break
        yield message_id


def _text(message: Message, content: Content) -> None:
    sms.send(to=message.recipient, text=content.text, reference=message.id)


def _send(send: Send, state: ServerState, now: datetime, message_id: str) -> bool:
    message = _claim(message_id, now)
    if message is None:
        return False
    try:
        content = _prepare(message, now)
    except Undeliverable as reason:
        _record(message, status=MessageStatus.NOT_NEEDED, last_error=str(reason))
        return False
    except SoftTimeLimitExceeded:  # the turn is over, and nothing was sent
        _retry(message, "It was not written in time.", now)
        raise
    except Exception:  # nothing was sent: it is safe to retry
        logger.exception("message_not_written", message_id=message_id)
        _retry(message, "It could not be written.", now)
        return False
    if content is None:
        _record(message, status=MessageStatus.NOT_NEEDED)
        return False
    try:
        send(message, content)
    except MessageNotSent as error:
        if error.fault is Fault.UNREACHED:
            state.note_unreached(error.reason)
            _give_back(message)
            return False
        state.note_reached()
        logger.warning("message_not_sent", message_id=message_id, cause=error.reason)
        _record_failure(message, error.fault, error.reason, now)
        return False
    state.note_reached()
    _record(message, status=MessageStatus.SENT, sent_at=now)
    return True


def _prepare(message: Message, now: datetime) -> Content | None:
    """Write the content, and readdress the message, in memory only. Raises Undeliverable."""
    content = content_of(message, now)
    return content and readdressed(message, content, now)


def _claim(message_id: str, now: datetime) -> Message | None:
    """Claim a message; None if another worker has claimed it."""
    due = Message.objects.due(now).filter(pk=message_id)
    taken = due.update(
        status=MessageStatus.SENDING, lease_until=now + LEASE, attempts=F("attempts") + 1
    )
    return Message.objects.get(pk=message_id) if taken else None


def _give_back(message: Message) -> None:
    """Let a message wait as if it had not been claimed: no server has seen it."""
    _record(message, status=MessageStatus.PLANNED, attempts=F("attempts") - 1)


def _record_failure(message: Message, fault: Fault, cause: str, now: datetime) -> None:
    if fault == Fault.REFUSED:
        _record(message, status=MessageStatus.REFUSED, last_error=cause[:200])
    elif fault == Fault.TEMPORARY or message.repeatable:
        _retry(message, cause, now)
    else:  # the server may have accepted it: never send it twice
        _record(message, status=MessageStatus.FAILED, last_error=cause[:200])


def _retry(message: Message, cause: str, now: datetime) -> None:
    """Reschedule a message, or give it up after the last attempt."""
    if message.attempts > len(RETRY_WAITS):
        _record(message, status=MessageStatus.FAILED, last_error=cause[:200])
        return
    due_at = now + RETRY_WAITS[message.attempts - 1]
    _record(message, status=MessageStatus.PLANNED, due_at=due_at, last_error=cause[:200])


def _record(message: Message, **values: object) -> None:
    """Record the outcome, unless another attempt has begun since the lease ran out."""
    mine = Message.objects.filter(
        pk=message.pk, status=MessageStatus.SENDING, attempts=message.attempts
    )
    mine.update(lease_until=None, **values)
