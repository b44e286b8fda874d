"""Take the counts of attempts over from the customers, with their rows."""

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

BEFORE, AFTER = "customers_quota", "core_quota"


def take_over(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    schema_editor.alter_db_table(apps.get_model("core", "Quota"), BEFORE, AFTER)


def give_back(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    schema_editor.alter_db_table(apps.get_model("core", "Quota"), AFTER, BEFORE)


class Migration(migrations.Migration):
    dependencies = [("core", "0001_initial"), ("customers", "0001_initial")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="Quota",
                    fields=[
                        (
                            "key",
                            models.CharField(max_length=100, primary_key=True, serialize=False),
                        ),
                        ("used", models.PositiveIntegerField(default=0)),
                        ("ends_at", models.DateTimeField(db_index=True)),
                    ],
                )
            ]
        ),
        migrations.RunPython(take_over, give_back),
    ]
