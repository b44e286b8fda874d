"""The same money in another file is found by its amount and day."""

from django.db import migrations, models

from core.schema import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("payouts", "0017_bank_names")]

    operations = [
        AddIndexOnline(
            model_name="bankentry",
            index=models.Index(fields=["amount", "booking_date"], name="bank_entry_money"),
        ),
    ]
