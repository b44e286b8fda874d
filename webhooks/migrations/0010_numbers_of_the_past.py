"""Number the events that were there before the feed, in the order in which they happened.

Those of one act have one time: what was created comes first, what followed from it last. What has
been written since the migration before waits for its number as ever, and comes after them.
"""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

NUMBER = """
    INSERT INTO webhooks_feedentry
        (event_id, merchant_id, livemode, resource_id, sequence, previous_sequence)
    SELECT event_id, merchant_id, livemode, resource_id, sequence,
        LAG(sequence) OVER (PARTITION BY merchant_id, livemode, resource_id ORDER BY sequence)
    FROM (
        SELECT event.id AS event_id, event.merchant_id, event.livemode, event.resource_id,
            ROW_NUMBER() OVER (
                PARTITION BY event.merchant_id, event.livemode
                ORDER BY event.created_at, CASE
                    WHEN event.type IN ('payment.refunded', 'payment_link.payment.completed') THEN 2
                    WHEN event.type LIKE '%.created' THEN 0
                    ELSE 1
                END, event.id
            ) AS sequence
        FROM webhooks_event AS event
        LEFT JOIN webhooks_unnumberedevent AS waiting ON waiting.event_id = event.id
        WHERE waiting.id IS NULL AND NOT event.is_test
    ) AS numbered
"""


def number(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("SET LOCAL statement_timeout = 0", params=None)
    schema_editor.execute(NUMBER, params=None)


def forget(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    schema_editor.execute("DELETE FROM webhooks_feedentry", params=None)


class Migration(migrations.Migration):
    dependencies = [("webhooks", "0009_feed")]

    operations = [migrations.RunPython(number, forget)]
