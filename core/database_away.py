"""What to log of a database that does not answer: a line with the reason.

While it is away, everything that asks it fails in the same way. A traceback says nothing more then,
and thousands of them push out of the log what is kept in it for a year.
"""

import logging

from django.db import InterfaceError, OperationalError

# By SQLSTATE: no connection, out of disk or connections, stopped by an operator or by a crash.
_AWAY = ("08", "53", "57P")
LOCKED = "database is locked"  # SQLite's only word for it
# What is wrong with a statement, such as a column that does not exist: SQLite has no other class.
_WRONG = "SQLITE_ERROR"


def is_away(error: BaseException) -> bool:
    """Return whether the database did not answer at all, or refuses whatever it is asked."""
    if not isinstance(error, OperationalError | InterfaceError) or LOCKED in str(error):
        return False
    if getattr(error.__cause__, "sqlite_errorname", "").startswith(_WRONG):
        return False
    state = getattr(error.__cause__, "sqlstate", None)
    return state is None or state.startswith(_AWAY)


def reason_of(error: Exception) -> str:
    """Return what the driver said, in a line."""
    return str(error).partition("\n")[0] or type(error).__name__


def traceback_of(error: Exception) -> Exception | None:
    """Return the error for `exc_info`; None if its traceback would say nothing."""
    return None if is_away(error) else error


class WithoutTraceback(logging.Filter):
    """Shortens what a library logs of a database that is away."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, Exception) and is_away(error):
            record.exc_info = None
            record.levelno, record.levelname = logging.WARNING, "WARNING"
            record.msg, record.args = f"{record.name}: %s", (reason_of(error),)
        return True
