"""A thief with all rights on the database, who passes by its triggers and foreign keys."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection
from django.db.models import Model

from ledger.models import Transfer, TransferKind
from tests.ledger.command import verify
from tests.run_environment import ON_POSTGRESQL


@contextmanager
def all_rights() -> Iterator[None]:
    """Switch off triggers and foreign keys, and put them back.

    Within a transaction SQLite keeps its foreign keys, but asks at the end of it, which a test
    whose rows are `undone` never reaches.
    """
    with connection.cursor() as cursor:
        if ON_POSTGRESQL:
            cursor.execute("SET session_replication_role = replica")
            yield
            cursor.execute("SET session_replication_role = DEFAULT")
            return
        cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        triggers = cursor.fetchall()
        for name, _ in triggers:
            cursor.execute(f"DROP TRIGGER {name}")
        cursor.execute("PRAGMA foreign_keys=OFF")
        yield
        cursor.execute("PRAGMA foreign_keys=ON")
        for _, statement in triggers:
            cursor.execute(statement)


def tamper(statement: str) -> tuple[int, str]:
    with all_rights(), connection.cursor() as cursor:
        cursor.execute(statement)
    return verify()


def change(row: Model, **values: Any) -> None:
    """Change columns of one row."""
    with all_rights():
        type(row)._base_manager.filter(pk=row.pk).update(**values)


def insert_transfer(values: dict[str, Any]) -> str:
    source = Transfer.objects.values().get(kind=TransferKind.TOP_UP)
    row = source | {"id": 999, "reference": "ref_x"} | values
    quoted = ", ".join(repr(v) if isinstance(v, int) else f"'{v}'" for v in row.values())
    return f"INSERT INTO ledger_transfer ({', '.join(row)}) VALUES ({quoted})"


QUEUE = """
    INSERT INTO ledger_unsealedtransfer
        (transfer_id, debit_account_id, credit_account_id, amount)
    SELECT id, debit_account_id, credit_account_id, amount FROM ledger_transfer WHERE id = 999
"""
