"""How long a thread has waited for slow statements, which the time of its processor does not show.

A search through a hundred thousand rows takes half a second of the database, and five milliseconds
here. What an ordinary statement takes is paid with the processor time around it, and is left out.
"""

import threading

ORDINARY_SECONDS = 0.01


class _Waited(threading.local):
    seconds = 0.0


_waited = _Waited()


def note_statement(seconds: float) -> None:
    """Add what a statement of this thread has taken beyond what is ordinary."""
    if seconds > ORDINARY_SECONDS:
        _waited.seconds += seconds - ORDINARY_SECONDS


def statement_seconds() -> float:
    """Return what this thread has waited so far."""
    return _waited.seconds
