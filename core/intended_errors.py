"""Server errors that are no fault of ours: simulated ones, and refusals that leave threads free.

Anyone can cause any number of them, so no alert counts them, and the log does not call them errors.
"""

from prometheus_client import Counter
from structlog.contextvars import bind_contextvars, get_contextvars

_INTENDED = "intended"

intended_errors = Counter(
    "server_errors_intended", "Responses of 5xx that were simulated, or beyond a concurrency limit."
)


def note_intended(*, is_counted: bool = True) -> None:
    """Note that this request is about to be answered with a server error on purpose.

    `is_counted`: the metrics count its response, so that an alert has to subtract it.
    """
    if is_counted:
        intended_errors.inc()
    bind_contextvars(**{_INTENDED: True})


def is_intended() -> bool:
    """Return whether this request is answered with a server error on purpose."""
    return _INTENDED in get_contextvars()
