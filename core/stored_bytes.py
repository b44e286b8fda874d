"""The price of stored bytes: a disk can be filled with little CPU time.

An order of 200 KB takes five times as much CPU time as a payment of 1 cent, and seventy times as
much space; a request for a long address that does not exist takes a millisecond, and leaves its
line in the log. So bytes have a price of their own, for callers who are not exempt from that of CPU
time.
"""

import threading

# Half a megabyte costs as much as a second of CPU time; an ordinary test request, a millisecond.
SECONDS_PER_BYTE = 0.000_002


class _Given(threading.local):
    number = 0


_given = _Given()


def note_bytes(number: int) -> None:
    """Add a number of bytes that a caller makes this thread store, copies included."""
    _given.number += number


def price_of_bytes() -> float:
    """Return the price of all bytes noted in this thread so far, in seconds of CPU time.

    The price of a request is the difference between two calls.
    """
    return _given.number * SECONDS_PER_BYTE
