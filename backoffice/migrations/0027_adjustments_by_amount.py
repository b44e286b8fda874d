"""The index by which the search finds an adjustment of a balance or wallet by its amount."""

from django.db import migrations, models

from core.schema import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("backoffice", "0026_expires_at")]

    operations = [
        AddIndexOnline(
            model_name="instruction",
            index=models.Index(fields=["task", "amount"], name="instruction_amount_of_task"),
        ),
    ]
