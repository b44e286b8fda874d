"""Server errors that are no fault of ours: simulated ones, and refusals that leave threads free.

Anyone can have as many as they like, so no alert may count them, nor the log call them errors.
"""

from prometheus_client import Counter
from structlog.contextvars import bind_contextvars, get_contextvars

_INTENDED = "intended"

intended_errors = Counter(
    "server_errors_intended", "Responses of 5xx that were simulated, or beyond a concurrency limit."
)


def note_intended() -> None:
    """Note that this request is about to be answered with a server error on purpose."""
    intended_errors.inc()
    bind_contextvars(**{_INTENDED: True})


def is_intended() -> bool:
    """Return whether the server error of this request is one on purpose."""
    return _INTENDED in get_contextvars()
