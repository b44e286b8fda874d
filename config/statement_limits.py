"""Warn at the start of limits that the connections to PostgreSQL lack.

The service sets them for each of its sessions, but cannot behind a pooler (`config.databases`):
there, the database role must have them, and nothing else notices if it does not.
"""

import logging

from django.db import DatabaseError, connection

logger = logging.getLogger(__name__)

_MISSING = "SELECT name FROM pg_settings WHERE name = ANY(%s) AND setting = '0' ORDER BY name"
LIMITS = ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")


def warn_of_missing_limits() -> None:
    """Log a warning for each limit that is off; none while the database is down.

    Leaves a connection open: `config.start_checks` closes it.
    """
    if connection.vendor != "postgresql":
        return
    try:
        with connection.cursor() as cursor:
            cursor.execute(_MISSING, [list(LIMITS)])
            missing = [name for (name,) in cursor.fetchall()]
    except DatabaseError:
        return
    for name in missing:
        logger.warning(
            "%s is 0 for the role of DATABASE_URL: what it limits can block others without end. Set"
            " it on the role, as docs/scaling.md does for a pooler.",
            name,
        )
