"""An index of what is pending in the order of its list: how much waits does not count."""

from django.db import migrations, models

from core.schema import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("webhooks", "0014_counts_by_day"),
    ]

    operations = [
        AddIndexOnline(
            model_name="delivery",
            index=models.Index(
                condition=models.Q(("status", "pending")),
                fields=["webhook", "created_at", "id"],
                name="delivery_pending",
            ),
        ),
    ]
