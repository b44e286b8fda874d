"""What was refused and booked all the same is found by an index of its own."""

from django.db import migrations, models

from core.schema import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("payouts", "0014_bank_charges")]

    operations = [
        AddIndexOnline(
            model_name="payout",
            index=models.Index(
                fields=["failed_at"],
                name="payout_refused_booked",
                condition=models.Q(status="failed")
                & (models.Q(booked_at__isnull=False) | models.Q(return_booked_at__isnull=False)),
            ),
        ),
    ]
