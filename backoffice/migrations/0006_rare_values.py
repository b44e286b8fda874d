"""Lists of the back office filtered by a value that is rare: in their order, from an index.

What is asked for is looked up within live or test. Statistics of what goes together tell PostgreSQL
when a merchant has few of a kind of which others have many. Events and transfers are written most:
of them only those are indexed by their type that are few.
"""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from core.schema import CreateIndexOnline, DropIndexOnline


def gather(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(
            """
            CREATE STATISTICS office_payment_kinds (mcv)
                ON merchant_id, livemode, status, payment_mode FROM payments_payment
            """,
            params=None,
        )


def forget(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP STATISTICS office_payment_kinds", params=None)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("backoffice", "0005_move_messages"),
        ("ledger", "0002_append_only"),
        ("payments", "0003_counted_lists"),
        ("webhooks", "0004_counted_lists"),
    ]

    operations = [
        CreateIndexOnline("office_payment_by_status", "payments_payment (livemode, status, id)"),
        CreateIndexOnline(
            "office_payment_by_mode", "payments_payment (livemode, payment_mode, id)"
        ),
        DropIndexOnline("office_payment_status"),
        CreateIndexOnline("office_event_mode", "webhooks_event (livemode, id)"),
        CreateIndexOnline(
            "office_event_rare",
            "webhooks_event (type, livemode, id)"
            " WHERE type <> 'payment.created' AND type <> 'payment.completed'",
        ),
        CreateIndexOnline("office_transfer_mode", "ledger_transfer (livemode, id)"),
        CreateIndexOnline(
            "office_transfer_rare",
            "ledger_transfer (kind, livemode, id) WHERE kind <> 'payment' AND kind <> 'fee'",
        ),
        migrations.RunPython(gather, forget),
    ]
