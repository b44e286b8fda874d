"""Each index of what is pending says that in words of its own, and dead entries go soon."""

from typing import Any

from django.db import migrations, models

from core.schema import AddIndexOnline, RemoveIndexOnline

SETTINGS = {
    "autovacuum_vacuum_scale_factor": "0",
    "autovacuum_vacuum_threshold": "100000",
    "vacuum_index_cleanup": "on",
}


def vacuum_soon(apps: Any, schema_editor: Any) -> None:
    """Have deliveries vacuumed after so many changes, however many there are, with indexes."""
    _alter(schema_editor, "SET", ", ".join(f"{name} = {value}" for name, value in SETTINGS.items()))


def vacuum_as_usual(apps: Any, schema_editor: Any) -> None:
    _alter(schema_editor, "RESET", ", ".join(SETTINGS))


def _alter(schema_editor: Any, how: str, settings: str) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(f"ALTER TABLE webhooks_delivery {how} ({settings})", params=None)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("webhooks", "0020_events_listed")]

    operations = [
        AddIndexOnline(
            model_name="delivery",
            index=models.Index(
                condition=models.Q(("ended_at", None)),
                fields=["webhook", "next_attempt_at", "id"],
                name="delivery_due_at_endpoint",
            ),
        ),
        AddIndexOnline(
            model_name="delivery",
            index=models.Index(
                condition=models.Q(("next_attempt_at__isnull", False)),
                fields=["next_attempt_at", "webhook"],
                name="delivery_next_due",
            ),
        ),
        RemoveIndexOnline(model_name="delivery", name="delivery_due"),
        RemoveIndexOnline(model_name="delivery", name="delivery_next"),
        migrations.RunPython(vacuum_soon, vacuum_as_usual),
    ]
