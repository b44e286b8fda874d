"""When a merchant was verified. Of those suspended now, it is not known whether they ever were:
they hear of what is done to their account as before.
"""

from typing import Any

from django.db import migrations, models
from django.db.models import F


def note_verified(apps: Any, schema_editor: Any) -> None:
    merchants = apps.get_model("merchants", "Merchant").objects.exclude(status="unverified")
    merchants.update(verified_at=F("updated_at"))


class Migration(migrations.Migration):
    dependencies = [("merchants", "0006_who_made_a_key")]

    operations = [
        migrations.AddField("merchant", "verified_at", models.DateTimeField(null=True)),
        migrations.RunPython(note_verified, migrations.RunPython.noop, elidable=True),
    ]
