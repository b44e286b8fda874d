"""The numbers of events: a table for those that wait for theirs, filled by a trigger.

A later migration that makes SQLite rebuild the table of events must create the trigger again.
"""

import django.db.models.deletion
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

import core.ids

POSTGRESQL = [
    """
    CREATE FUNCTION webhooks_number() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO webhooks_unnumberedevent (event_id) VALUES (NEW.id);
        RETURN NULL;
    END $$
    """,
    """
    CREATE TRIGGER event_to_number AFTER INSERT ON webhooks_event
        FOR EACH ROW WHEN (NOT NEW.is_test) EXECUTE FUNCTION webhooks_number()
    """,
]
POSTGRESQL_BACK = [
    "DROP TRIGGER event_to_number ON webhooks_event",
    "DROP FUNCTION webhooks_number()",
]
SQLITE = [
    """
    CREATE TRIGGER event_to_number AFTER INSERT ON webhooks_event
        FOR EACH ROW WHEN NOT NEW.is_test
    BEGIN
        INSERT INTO webhooks_unnumberedevent (event_id) VALUES (NEW.id);
    END
    """,
]
SQLITE_BACK = ["DROP TRIGGER event_to_number"]


def note_new(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    for statement in POSTGRESQL if schema_editor.connection.vendor == "postgresql" else SQLITE:
        schema_editor.execute(statement, params=None)


def note_none(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    on_postgresql = schema_editor.connection.vendor == "postgresql"
    for statement in POSTGRESQL_BACK if on_postgresql else SQLITE_BACK:
        schema_editor.execute(statement, params=None)


class Migration(migrations.Migration):
    dependencies = [
        ("merchants", "0003_email_confirmed"),
        ("webhooks", "0008_endpoint_health"),
    ]

    operations = [
        migrations.CreateModel(
            name="UnnumberedEvent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "event",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="webhooks.event",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="FeedEntry",
            fields=[
                (
                    "event",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="entry",
                        serialize=False,
                        to="webhooks.event",
                    ),
                ),
                ("livemode", models.BooleanField()),
                ("resource_id", core.ids.PublicIdField(max_length=40)),
                ("sequence", models.BigIntegerField()),
                ("previous_sequence", models.BigIntegerField(null=True)),
                (
                    "merchant",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="merchants.merchant",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["merchant", "livemode", "resource_id", "sequence"],
                        name="feed_entry_of_object",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("merchant", "livemode", "sequence"), name="feed_entry_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("sequence__gt", 0)), name="feed_entry_from_one"
                    ),
                ],
            },
        ),
        migrations.RunPython(note_new, note_none),
    ]
