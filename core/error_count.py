"""How many errors this process has logged: in its own metrics, and reported by `core.task_runs`."""

import logging
from functools import cache

from prometheus_client import Counter

log_errors = Counter("log_errors", "How many errors this web process has logged.", ["logger"])


class ErrorCount(logging.Handler):
    """Counts what is logged at level error or above."""

    count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += 1
        log_errors.labels(record.name.partition(".")[0]).inc()


@cache
def error_count() -> ErrorCount:
    """Return the handler of this process."""
    return ErrorCount()
