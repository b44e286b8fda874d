"""The endpoints with a recovery, found every five seconds without those that have none."""

from django.db import migrations, models

from core.schema import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("webhooks", "0015_pending_in_order"),
    ]

    operations = [
        AddIndexOnline(
            model_name="webhook",
            index=models.Index(
                condition=models.Q(("recover_since__isnull", False)),
                fields=["recover_since"],
                name="webhook_recovering",
            ),
        ),
    ]
