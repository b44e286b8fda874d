"""Triggers, created by migrations, that enter the signed rows of a table in the log.

They record which row has which signature, in the transaction that writes it and without an extra
statement. A row that was written past them has no entry, and one without a signature an empty one.
"""

from collections.abc import Iterator

from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from core.schema import BeyondModels

FUNCTION = """
    CREATE FUNCTION ledger_log() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO ledger_waitingentry (kind, subject, signature)
            VALUES (TG_TABLE_NAME, NEW.id, COALESCE(NEW.signature, ''));
        RETURN NULL;
    END $$
"""
EVENTS = {"insert": "INSERT", "update": "UPDATE OF signature"}


class LogRows(BeyondModels):
    """Record each signature that is written to a table, for the log."""

    def __init__(self, table: str) -> None:
        self.table = table

    def forwards(self, schema_editor: BaseDatabaseSchemaEditor) -> None:
        on_postgresql = schema_editor.connection.vendor == "postgresql"
        for statement in (_postgresql if on_postgresql else _sqlite)(self.table):
            schema_editor.execute(statement, params=None)

    def backwards(self, schema_editor: BaseDatabaseSchemaEditor) -> None:
        of_table = f" ON {self.table}" if schema_editor.connection.vendor == "postgresql" else ""
        for event in EVENTS:
            schema_editor.execute(f"DROP TRIGGER log_{self.table}_{event}{of_table}", params=None)

    def describe(self) -> str:
        return f"Note the signatures of {self.table} for the log"


def _postgresql(table: str) -> Iterator[str]:
    for event, when in EVENTS.items():
        yield f"""
            CREATE TRIGGER log_{table}_{event} AFTER {when} ON {table}
            FOR EACH ROW EXECUTE FUNCTION ledger_log()
        """


def _sqlite(table: str) -> Iterator[str]:
    for event, when in EVENTS.items():
        yield f"""
            CREATE TRIGGER log_{table}_{event} AFTER {when} ON {table} FOR EACH ROW
            BEGIN
                INSERT INTO ledger_waitingentry (kind, subject, signature)
                    VALUES ('{table}', NEW.id, COALESCE(NEW.signature, ''));
            END
        """  # noqa: S608  # our own names
