"""What PostgreSQL has not sorted into the indexes of words and metadata yet is kept short.

A search reads that list from end to end: 4 MB of it, before a creation sorts it in, took longer
than all else that a search does.
"""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

INDEXES = ("office_payment_metadata", "payment_composed_words", "payment_metadata")
KILOBYTES = 128  # with 64, adding payments took a little longer; with 256 it did not


def shorten(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    _each(schema_editor, f"SET (gin_pending_list_limit = {KILOBYTES})")


def lengthen(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    _each(schema_editor, "RESET (gin_pending_list_limit)")


def _each(schema_editor: BaseDatabaseSchemaEditor, change: str) -> None:
    if schema_editor.connection.vendor == "postgresql":
        for name in INDEXES:
            schema_editor.execute(f"ALTER INDEX {name} {change}", params=None)


class Migration(migrations.Migration):
    dependencies = [
        ("backoffice", "0020_found_by_staff"),
        ("payments", "0012_counts_by_day"),
    ]

    operations = [migrations.RunPython(shorten, lengthen)]
