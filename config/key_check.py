"""Refuse to serve without the keys that stored secrets need."""

import logging

from django.db import DatabaseError, connection

from config.checks import UnsafeConfiguration
from core.clock import utc_now
from core.database_away import log_failure
from core.key_register import note_keys, words_of_missing_keys

logger = logging.getLogger(__name__)


def refuse_missing_keys() -> None:
    """Raise UnsafeConfiguration if stored secrets need a key that is not configured.

    Otherwise registers new keys. If the database is down or not migrated, nothing can be checked,
    and the process starts: it cannot serve anything then either.
    """
    try:
        missing = words_of_missing_keys()
        if not missing:
            note_keys(now=utc_now())
    except DatabaseError as error:
        log_failure(logger, "keys not checked", error)
        return
    finally:
        _leave_database()
    if missing:
        lines = "\n".join(f"- {words}" for words in missing)
        raise UnsafeConfiguration(f"Stored secrets could not be read:\n{lines}")


def _leave_database() -> None:
    """Close connections that a forked process must not inherit."""
    if connection.in_atomic_block:
        return
    connection.close()
    if hasattr(connection, "close_pool"):
        connection.close_pool()
