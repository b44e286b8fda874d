"""What to log of a database that does not answer: a line with the reason.

While it is away, everything that asks it fails in the same way. A traceback adds nothing then, and
thousands of them would push older lines, kept for a year, out of the log.
"""

import logging

from django.db import InterfaceError, InternalError, OperationalError, connection

# By SQLSTATE: no connection, out of disk or connections, stopped by an operator or by a crash.
_AWAY = ("08", "53", "57P")
_READ_ONLY = "25006"  # a standby: PostgreSQL calls this an internal error
LOCKED = "database is locked"  # SQLite has no SQLSTATE: its message for a lock that is not free
# What is wrong with a statement, such as a column that does not exist: SQLite has no other class.
_WRONG = "SQLITE_ERROR"


def is_away(error: BaseException) -> bool:
    """Return whether the database did not answer at all, or refuses whatever it is asked."""
    state = getattr(error.__cause__, "sqlstate", None)
    if isinstance(error, InternalError):
        return bool(state == _READ_ONLY)
    if not isinstance(error, OperationalError | InterfaceError) or LOCKED in str(error):
        return False
    if getattr(error.__cause__, "sqlite_errorname", "").startswith(_WRONG):
        return False
    return state is None or state.startswith(_AWAY)


def takes_changes() -> bool:
    """Ask the database whether it takes changes, as a standby does not. Raises if it is away."""
    is_postgresql = connection.vendor == "postgresql"
    with connection.cursor() as cursor:
        cursor.execute("SHOW transaction_read_only" if is_postgresql else "SELECT 'off'")
        return bool(cursor.fetchone()[0] == "off")


def reason_of(error: BaseException) -> str:
    """Return the first line of the driver's message."""
    return str(error).partition("\n")[0] or type(error).__name__


def traceback_of(error: Exception) -> Exception | None:
    """Return the error for `exc_info`; None if its traceback would add nothing."""
    return None if is_away(error) else error


def log_failure(logger: logging.Logger, event: str, error: Exception) -> None:
    """Log what a failure led to, with its reason, and with a traceback where that helps."""
    logger.warning("%s: %s", event, reason_of(error), exc_info=traceback_of(error))


class WithoutTraceback(logging.Filter):
    """Shortens what a library logs of a database that is away."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, Exception) and is_away(error):
            record.exc_info = None
            record.levelno, record.levelname = logging.WARNING, "WARNING"
            record.msg, record.args = f"{record.name}: %s", (reason_of(error),)
        return True
