"""What each process that serves or works checks before it starts."""

from config.checks import refuse_unsafe
from config.key_check import refuse_missing_keys
from config.statement_limits import warn_of_missing_limits


def check_start() -> None:
    """Raise UnsafeConfiguration if the process must not start. Leaves no connection open."""
    refuse_unsafe()
    warn_of_missing_limits()
    refuse_missing_keys()  # last: it closes the connection that both have used
