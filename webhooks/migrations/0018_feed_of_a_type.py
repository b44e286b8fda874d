"""The types of what was numbered before, a few thousand at a time, and the index of the feed."""

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from core.schema import AddIndexOnline

BATCH = 2_000
_NEXT = """
    SELECT max(event_id) FROM (
        SELECT event_id FROM webhooks_feedentry WHERE event_id > %s ORDER BY event_id LIMIT %s
    ) AS next
"""
_ADD = """
    UPDATE webhooks_feedentry
    SET type = (SELECT type FROM webhooks_event WHERE id = webhooks_feedentry.event_id)
    WHERE event_id > %s AND event_id <= %s AND type IS NULL
"""


def add_types(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Each batch is a transaction: numbering waits for none, and a repeated run goes on."""
    after = ""
    with schema_editor.connection.cursor() as cursor:
        while True:
            cursor.execute(_NEXT, [after, BATCH])
            (last,) = cursor.fetchone()
            if last is None:
                return
            cursor.execute(_ADD, [after, last])
            after = last


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("webhooks", "0017_types_in_the_feed")]

    operations = [
        migrations.RunPython(add_types, migrations.RunPython.noop),
        AddIndexOnline(
            model_name="feedentry",
            index=models.Index(
                fields=["merchant", "livemode", "type", "sequence"], name="feed_entry_of_type"
            ),
        ),
    ]
