"""Acknowledgments of messages that Redis did not take.

kombu counts a message as being handled until its acknowledgment was sent. Where only some of a
worker's connections are lost, one whose acknowledgment fails counts for good: as many as the
worker takes at once, and it fetches nothing any more, although it still looks alive. Where all are
lost, kombu looks for an attribute of the connection that is gone, which ends the worker.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kombu.transport import redis, virtual
from redis.exceptions import ConnectionError as NoConnection


class FreedQoS(redis.QoS):
    """A count of messages at work that a failed acknowledgment, or a lost connection, ends as well.

    Redis still has the message, and hands it out again after `VISIBILITY_SECONDS`.
    """

    def ack(self, delivery_tag: str) -> None:
        with self._freeing(delivery_tag):
            super().ack(delivery_tag)

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        with self._freeing(delivery_tag):
            super().reject(delivery_tag, requeue=requeue)

    def restore_unacked(self, client: Any = None) -> None:
        """Give the messages at work back, where there is a connection."""
        try:
            if self._is_connected():
                super().restore_unacked(client)
        finally:
            delivered: Any = self._delivered
            delivered.clear()

    @contextmanager
    def _freeing(self, delivery_tag: str) -> Iterator[None]:
        try:
            if not self._is_connected():
                raise NoConnection("The message came through a connection that has been lost.")
            yield
        except Exception:
            virtual.QoS.ack(self, delivery_tag)
            raise

    def _is_connected(self) -> bool:
        """Return whether the channel has, or can open, a connection; it may be broken."""
        channel: Any = self.channel
        can_open = channel.connection is not None and channel.connection.client is not None
        return can_open or channel._pool is not None
