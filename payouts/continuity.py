"""Whether this database may be younger than what the bank knows.

After a restore, or the promotion of a replica that had not everything, payouts that have left may
look as if they had not. Nothing is sent then until a person has compared what is in transit with
the bank and says so. PostgreSQL itself tells of both: a restored cluster has another identity or a
new timeline. Elsewhere the operator says it, with `manage.py restored`.
"""

from datetime import datetime

from django.db import connection, transaction

from payouts.errors import PayoutsShut
from payouts.models import Continuity

ONLY = 1
# The name of the present write-ahead log begins with its timeline; every promotion counts it up.
IDENTITY = """
    SELECT (SELECT system_identifier FROM pg_control_system())::text
        || ' ' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
"""


def database_identity() -> str:
    """Return what changes with a restore or a promotion; empty where the database cannot tell."""
    if connection.vendor != "postgresql":
        return ""
    with connection.cursor() as cursor:
        cursor.execute(IDENTITY)
        return str(cursor.fetchone()[0])


def refuse_after_restore(*, now: datetime) -> None:
    """Raise PayoutsShut while the past of this database is in doubt."""
    if is_shut(now=now):
        raise PayoutsShut


def is_shut(*, now: datetime) -> bool:
    """Return whether the past of this database is in doubt. The first call trusts it."""
    identity = database_identity()
    known, _ = Continuity.objects.get_or_create(
        pk=ONLY, defaults={"identity": identity, "confirmed_at": now, "confirmed_by": "system"}
    )
    return known.shut_at is not None or known.identity != identity


@transaction.atomic
def shut(*, actor: str, now: datetime) -> None:
    """Send nothing to the bank until `confirm` says that both agree."""
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
    """Open payouts again: what is in transit here has been compared with the bank's own list."""
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
