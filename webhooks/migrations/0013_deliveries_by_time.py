"""An index of what is pending by its time: what is due is found however much waits for later."""

from django.db import migrations, models

from core.schema import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("webhooks", "0012_inquiries"),
    ]

    operations = [
        AddIndexOnline(
            model_name="delivery",
            index=models.Index(
                condition=models.Q(("status", "pending")),
                fields=["next_attempt_at", "webhook"],
                name="delivery_next",
            ),
        ),
    ]
