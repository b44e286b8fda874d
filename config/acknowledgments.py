"""Acknowledgments of messages that Redis did not take.

kombu counts a message as being handled until its acknowledgment was sent. Where only some of a
worker's connections are lost, one whose acknowledgment fails counts for good: as many as the
worker takes at once, and it fetches nothing any more, although it still looks alive.
"""

from kombu.transport import redis, virtual


class FreedQoS(redis.QoS):
    """A count of messages at work that a failed acknowledgment ends as well.

    Redis still has the message, and hands it out again after `VISIBILITY_SECONDS`.
    """

    def ack(self, delivery_tag: str) -> None:
        try:
            super().ack(delivery_tag)
        except Exception:
            self._forget(delivery_tag)
            raise

    def reject(self, delivery_tag: str, requeue: bool = False) -> None:
        try:
            super().reject(delivery_tag, requeue=requeue)
        except Exception:
            self._forget(delivery_tag)
            raise

    def _forget(self, delivery_tag: str) -> None:
        virtual.QoS.ack(self, delivery_tag)
