"""An event is what was sent, byte for byte: the database refuses to change it.

A later migration that makes SQLite rebuild the table loses the triggers and must create them again.
"""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

POSTGRESQL = [
    """
    CREATE FUNCTION webhooks_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION 'an event is never changed'
            USING ERRCODE = 'integrity_constraint_violation';
    END $$
    """,
    """
    CREATE TRIGGER event_unchanged BEFORE UPDATE ON webhooks_event FOR EACH ROW
        EXECUTE FUNCTION webhooks_refuse()
    """,
]
POSTGRESQL_BACK = [
    "DROP TRIGGER event_unchanged ON webhooks_event",
    "DROP FUNCTION webhooks_refuse()",
]

SQLITE = [
    """
    CREATE TRIGGER event_unchanged BEFORE UPDATE ON webhooks_event FOR EACH ROW
    BEGIN
        SELECT RAISE(ABORT, 'an event is never changed');
    END
    """,
    """
    CREATE TRIGGER event_not_replaced BEFORE INSERT ON webhooks_event FOR EACH ROW
        WHEN EXISTS (SELECT 1 FROM webhooks_event WHERE id = NEW.id)
    BEGIN
        SELECT RAISE(ABORT, 'an event is never changed');
    END
    """,
]
SQLITE_BACK = ["DROP TRIGGER event_unchanged", "DROP TRIGGER event_not_replaced"]


def protect(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    for statement in POSTGRESQL if schema_editor.connection.vendor == "postgresql" else SQLITE:
        schema_editor.execute(statement, params=None)


def unprotect(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    on_postgresql = schema_editor.connection.vendor == "postgresql"
    for statement in POSTGRESQL_BACK if on_postgresql else SQLITE_BACK:
        schema_editor.execute(statement, params=None)


class Migration(migrations.Migration):
    dependencies = [("webhooks", "0001_initial")]

    operations = [migrations.RunPython(protect, unprotect)]
