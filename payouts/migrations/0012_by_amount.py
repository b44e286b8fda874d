"""The list by amount is read from an index in its order."""

from django.db import migrations, models

from core.schema import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("payouts", "0011_amended_statements")]

    operations = [
        AddIndexOnline(
            model_name="payout",
            index=models.Index(
                fields=["merchant", "livemode", "amount", "-created_at", "-id"],
                name="payout_by_amount",
            ),
        ),
    ]
