"""Wake the dispatchers after a commit, so that the first attempt need not wait for a tick.

A late or lost wakeup does no harm: the tick finds everything. So it may never delay or fail a
request, whatever the broker does: a background thread sends it, and gives up at once.
"""

import logging
import os
import threading
import time
from functools import cache
from typing import Any

from celery import current_app
from kombu.exceptions import ChannelError

logger = logging.getLogger(__name__)

TASK = "webhooks.tasks.send_webhooks"
QUEUE = "webhooks"
SOCKET_SECONDS = 0.2
# A burst of commits sends one wakeup per this many seconds.
PAUSE_SECONDS = 0.02
# How long the broker is not called after a failure; the ticks do the work meanwhile.
CIRCUIT_OPEN_SECONDS = 10
EXPIRES_SECONDS = 10
# Without a consumer the queue grows no longer than this.
MAX_QUEUED = 50

_SOCKET_OPTIONS = {
    "socket_timeout": SOCKET_SECONDS,
    "socket_connect_timeout": SOCKET_SECONDS,
    "max_retries": 0,
}


class WakeupPublisher:
    """One thread and a flag: however many wakeups are requested, at most one waits to be sent."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self._wanted = threading.Event()
        self._connection: Any = None
        threading.Thread(target=self._work, name="webhooks-wakeup", daemon=True).start()

    def wake_up(self) -> None:
        """Request a wakeup. Returns at once."""
        self._wanted.set()

    def _work(self) -> None:
        while True:
            self._wanted.wait()
            self._wanted.clear()
            time.sleep(PAUSE_SECONDS if self._publish() else CIRCUIT_OPEN_SECONDS)

    def _publish(self) -> bool:
        try:
            self._send()
        except Exception as error:
            # No failure may end the thread. The next wakeup reconnects.
            logger.warning("wakeup not sent: %s", type(error).__name__)
            self._connection = None
            return False
        return True

    def _send(self) -> None:
        if self._connection is None:
            self._connection = current_app.connection_for_write(
                connect_timeout=SOCKET_SECONDS,
                transport_options=current_app.conf.broker_transport_options | _SOCKET_OPTIONS,
            )
        if _waiting(self._connection) < MAX_QUEUED:
            current_app.send_task(
                TASK,
                connection=self._connection,
                retry=False,
                ignore_result=True,
                expires=EXPIRES_SECONDS,
            )


def _waiting(connection: Any) -> int:
    try:
        declared = connection.default_channel.queue_declare(QUEUE, passive=True)
    except ChannelError:  # the queue does not exist yet
        return 0
    count: int = declared.message_count
    return count


_publisher: WakeupPublisher | None = None
_starting = threading.Lock()


def wake_up() -> None:
    """Wake the dispatchers, if there is a broker. Never waits, never raises."""
    global _publisher
    if not _has_broker():
        return
    with _starting:
        if _publisher is None or _publisher.process != os.getpid():
            _publisher = WakeupPublisher()
    _publisher.wake_up()


@cache
def _has_broker() -> bool:
    """Return whether messages reach other processes. A process asks once: it is in no request."""
    return not str(current_app.conf.broker_url).startswith("memory:")
