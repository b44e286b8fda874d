"""Lists of the back office filtered by a value that is rare: in their order, from an index.

The status is looked up within live or test, and so is the mode of payment. Statistics of what goes
together tell PostgreSQL when a merchant has few of a kind of which others have many.
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
        ("backoffice", "0004_search_indexes"),
        ("payments", "0002_counted_lists"),
    ]

    operations = [
        CreateIndexOnline("office_payment_by_status", "payments_payment (livemode, status, id)"),
        CreateIndexOnline(
            "office_payment_by_mode", "payments_payment (livemode, payment_mode, id)"
        ),
        DropIndexOnline("office_payment_status"),
        migrations.RunPython(gather, forget),
    ]
