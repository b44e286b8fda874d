"""The endpoints that were switched off by themselves are found without those that work."""

from django.db import migrations, models

from core.schema import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("webhooks", "0026_no_events_of_all")]

    operations = [
        AddIndexOnline(
            model_name="webhook",
            index=models.Index(
                condition=models.Q(disabled_reason__in=["gone", "failing"], deleted_at=None),
                fields=["livemode"],
                name="webhook_switched_off",
            ),
        ),
    ]
