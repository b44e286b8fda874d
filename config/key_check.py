"""Refuse to serve without the keys that stored secrets need."""

import logging

from django.db import DatabaseError, connection

from config.checks import UnsafeConfiguration
from core.clock import utc_now
from core.database_away import log_failure
from core.key_register import missing_keys, note_keys

logger = logging.getLogger(__name__)

ADVICE = (
    "Put it back behind the newest one, in {name}; or let `manage.py rotate_encryption` find that "
    "nothing needs it; or, where it is lost for good, `manage.py rotate_encryption --give-up {id}`."
)
VARIABLES = {
    "encryption": "ENCRYPTION_KEY",
    "ledger": "LEDGER_KEY",
    "pepper": "PIN_PEPPER_FALLBACKS",
}


def refuse_missing_keys() -> None:
    """Raise UnsafeConfiguration if stored secrets need a key that is not configured.

    Otherwise registers new keys. If the database is down or not migrated, nothing can be checked,
    and the process starts: it cannot serve anything then either.
    """
    try:
        missing = missing_keys()
        if not missing:
            note_keys(now=utc_now())
    except DatabaseError as error:
        log_failure(logger, "keys not checked", error)
        return
    finally:
        _leave_database()
    if missing:
        lines = "\n".join(
            f"- {entry} is missing, in use since {entry.since:%Y-%m-%d}. "
            + ADVICE.format(name=VARIABLES[entry.purpose], id=entry.key_id)
            for entry in missing
        )
        raise UnsafeConfiguration(f"Stored secrets could not be read:\n{lines}")


def _leave_database() -> None:
    """Close connections that a forked process must not inherit."""
    if connection.in_atomic_block:
        return
    connection.close()
    if hasattr(connection, "close_pool"):
        connection.close_pool()
