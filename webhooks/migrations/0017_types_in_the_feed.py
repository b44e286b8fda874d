"""The type of an event beside its number, for the feed of one type.

The previous release numbers events without it, and may run on these tables: a trigger adds it.
"""

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

POSTGRESQL = [
    """
    CREATE FUNCTION webhooks_add_type() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        SELECT type INTO NEW.type FROM webhooks_event WHERE id = NEW.event_id;
        RETURN NEW;
    END $$
    """,
    """
    CREATE TRIGGER feed_entry_has_type BEFORE INSERT ON webhooks_feedentry
        FOR EACH ROW WHEN (NEW.type IS NULL) EXECUTE FUNCTION webhooks_add_type()
    """,
]
POSTGRESQL_BACK = [
    "DROP TRIGGER feed_entry_has_type ON webhooks_feedentry",
    "DROP FUNCTION webhooks_add_type()",
]
SQLITE = [
    """
    CREATE TRIGGER feed_entry_has_type AFTER INSERT ON webhooks_feedentry
        FOR EACH ROW WHEN NEW.type IS NULL
    BEGIN
        UPDATE webhooks_feedentry
        SET type = (SELECT type FROM webhooks_event WHERE id = NEW.event_id)
        WHERE event_id = NEW.event_id;
    END
    """,
]
SQLITE_BACK = ["DROP TRIGGER feed_entry_has_type"]


def add_types(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    for statement in POSTGRESQL if schema_editor.connection.vendor == "postgresql" else SQLITE:
        schema_editor.execute(statement, params=None)


def add_none(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    on_postgresql = schema_editor.connection.vendor == "postgresql"
    for statement in POSTGRESQL_BACK if on_postgresql else SQLITE_BACK:
        schema_editor.execute(statement, params=None)


class Migration(migrations.Migration):
    dependencies = [("webhooks", "0016_recovering_endpoints")]

    operations = [
        migrations.AddField(
            model_name="feedentry",
            name="type",
            field=models.CharField(max_length=40, null=True),
        ),
        migrations.RunPython(add_types, add_none),
    ]
