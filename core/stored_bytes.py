"""The price of stored bytes: a disk can be filled with little CPU time.

An order of 200 KB takes five times as much CPU time as a payment of 1 cent, and seventy times as
much space. So bytes have a price of their own, for callers who are not exempt from that of CPU
time.
"""

import threading

# Half a megabyte costs as much as a second of CPU time; an ordinary test request, a millisecond.
SECONDS_PER_BYTE = 0.000_002


class _Given(threading.local):
    number = 0


_given = _Given()


def note_bytes(number: int) -> None:
    """Add bytes that this thread was given to store, or stores once more."""
    _given.number += number


def price_of_bytes() -> float:
    """Return what this thread was given so far, as seconds of CPU time."""
    return _given.number * SECONDS_PER_BYTE
