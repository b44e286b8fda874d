"""Staff have looked at verified merchants: their addresses count as confirmed."""

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def trust_verified(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    verified = apps.get_model("merchants", "Merchant").objects.filter(status="verified")
    verified.update(email_confirmed_at=models.F("updated_at"))


class Migration(migrations.Migration):
    dependencies = [
        ("merchants", "0002_public_fields"),
    ]

    operations = [
        migrations.AddField(
            model_name="merchant",
            name="email_confirmed_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.RunPython(trust_verified, migrations.RunPython.noop),
    ]
