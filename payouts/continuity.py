"""Detect that this database may be behind what the bank knows.

After a restore, or the promotion of a lagging replica, payouts that have left may look as if they
had not. Nothing is sent then until a person has compared what is in transit with the bank and
confirms it. PostgreSQL reveals both by itself: the cluster has another identity or a new timeline.
Elsewhere the operator reports it, with `manage.py restored`.
"""

from datetime import datetime

from django.db import connection, transaction

from payouts.errors import PayoutsShut
from payouts.models import Continuity

ONLY = 1
# The name of the current WAL file begins with its timeline, which every promotion increments.
IDENTITY = """
    SELECT (SELECT system_identifier FROM pg_control_system())::text
        || ' ' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
"""


def database_identity() -> str:
    """Return an identity that a restore or promotion changes; empty if the database has none."""
    if connection.vendor != "postgresql":
        return ""
    with connection.cursor() as cursor:
        cursor.execute(IDENTITY)
        return str(cursor.fetchone()[0])


def refuse_after_restore(*, now: datetime) -> None:
    """Raise PayoutsShut while this database may have been restored and is not confirmed."""
    if is_shut(now=now):
        raise PayoutsShut


def is_shut(*, now: datetime) -> bool:
    """Return whether payouts are shut after a restore. The first call ever trusts the database."""
    identity = database_identity()
    known, _ = Continuity.objects.get_or_create(
        pk=ONLY, defaults={"identity": identity, "confirmed_at": now, "confirmed_by": "system"}
    )
    return known.shut_at is not None or known.identity != identity


@transaction.atomic
def shut(*, actor: str, now: datetime) -> None:
    """Shut payouts: send nothing to the bank until `confirm` is called."""
    Continuity.objects.update_or_create(
        pk=ONLY,
        defaults={"shut_at": now, "shut_by": actor},
        create_defaults={
            "identity": database_identity(),
            "confirmed_at": now,
            "confirmed_by": "system",
            "shut_at": now,
            "shut_by": actor,
        },
    )


@transaction.atomic
def confirm(*, actor: str, now: datetime) -> None:
    """Reopen payouts: what is in transit here has been compared with the bank's own list."""
    Continuity.objects.update_or_create(
        pk=ONLY,
        defaults={
            "identity": database_identity(),
            "confirmed_at": now,
            "confirmed_by": actor,
            "shut_at": None,
            "shut_by": "",
        },
    )
