"""The price of delivery logs: an endpoint can answer each attempt with a kilobyte to be stored."""

from core.stored_bytes import note_bytes

# The rows of a delivery and one attempt, with an excerpt of medium length.
LOG_BYTES = 1_500


def note_logs(deliveries: int, *, livemode: bool) -> None:
    """Note what a round of attempts will store; in live mode it is free, as events are."""
    if not livemode:
        note_bytes(deliveries * LOG_BYTES)
