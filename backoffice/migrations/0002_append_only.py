"""What constraints cannot say: audit entries and notes are never changed, deleted or replaced."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

POSTGRESQL = [
    """
    CREATE FUNCTION backoffice_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION '% of % is refused: write a new row instead', TG_OP, TG_TABLE_NAME
            USING ERRCODE = 'integrity_constraint_violation';
    END $$
    """,
    """
    CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE OR TRUNCATE
        ON backoffice_auditentry EXECUTE FUNCTION backoffice_refuse()
    """,
    """
    CREATE TRIGGER audit_head_kept BEFORE DELETE OR TRUNCATE
        ON backoffice_audithead EXECUTE FUNCTION backoffice_refuse()
    """,
    """
    CREATE TRIGGER note_append_only BEFORE UPDATE OR DELETE OR TRUNCATE
        ON backoffice_note EXECUTE FUNCTION backoffice_refuse()
    """,
]
POSTGRESQL_BACK = [
    "DROP TRIGGER audit_append_only ON backoffice_auditentry",
    "DROP TRIGGER audit_head_kept ON backoffice_audithead",
    "DROP TRIGGER note_append_only ON backoffice_note",
    "DROP FUNCTION backoffice_refuse()",
]


def refuse(name: str, event: str, table: str, condition: str = "1") -> str:
    """Return a trigger of SQLite that refuses `event` where the condition holds."""
    return f"""
    CREATE TRIGGER {name} BEFORE {event} ON {table} FOR EACH ROW WHEN {condition}
    BEGIN
        SELECT RAISE(ABORT, '{name}: write a new row instead');
    END
    """


# INSERT OR REPLACE deletes without asking a delete trigger, unless recursive_triggers is on.
SQLITE = {
    "audit_no_update": refuse("audit_no_update", "UPDATE", "backoffice_auditentry"),
    "audit_no_delete": refuse("audit_no_delete", "DELETE", "backoffice_auditentry"),
    "audit_no_replace": refuse(
        "audit_no_replace",
        "INSERT",
        "backoffice_auditentry",
        "EXISTS (SELECT 1 FROM backoffice_auditentry WHERE sequence = NEW.sequence)",
    ),
    "audit_head_no_delete": refuse("audit_head_no_delete", "DELETE", "backoffice_audithead"),
    "note_no_update": refuse("note_no_update", "UPDATE", "backoffice_note"),
    "note_no_delete": refuse("note_no_delete", "DELETE", "backoffice_note"),
    "note_no_replace": refuse(
        "note_no_replace",
        "INSERT",
        "backoffice_note",
        "EXISTS (SELECT 1 FROM backoffice_note WHERE id = NEW.id)",
    ),
}
SQLITE_BACK = [f"DROP TRIGGER {name}" for name in SQLITE]


def protect(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    on_postgresql = schema_editor.connection.vendor == "postgresql"
    for statement in POSTGRESQL if on_postgresql else SQLITE.values():
        schema_editor.execute(statement, params=None)


def unprotect(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    on_postgresql = schema_editor.connection.vendor == "postgresql"
    for statement in POSTGRESQL_BACK if on_postgresql else SQLITE_BACK:
        schema_editor.execute(statement, params=None)


class Migration(migrations.Migration):
    dependencies = [("backoffice", "0001_initial")]

    operations = [migrations.RunPython(protect, unprotect)]
