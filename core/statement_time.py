"""How long a thread has waited for slow statements, which its CPU time does not show.

A search through a hundred thousand rows takes half a second of the database, and five milliseconds
here. The time of ordinary statements is covered by the CPU time around them, and is left out.
"""

import threading

ORDINARY_SECONDS = 0.01


class _Waited(threading.local):
    seconds = 0.0


_waited = _Waited()


def note_statement(seconds: float) -> None:
    """Add the time that a statement of this thread took, less `ORDINARY_SECONDS`."""
    if seconds > ORDINARY_SECONDS:
        _waited.seconds += seconds - ORDINARY_SECONDS


def statement_seconds() -> float:
    """Return the seconds that this thread has waited so far, for the difference of two calls."""
    return _waited.seconds
