"""All of the bank's names for the same money are kept, not the first one alone."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("payouts", "0016_charge_within_debit")]

    operations = [
        migrations.AddField(
            model_name="bankentry",
            name=name,
            field=models.CharField(blank=True, db_default="", default="", max_length=140),
        )
        for name in ("entry_reference", "uetr", "transaction_id")
    ]
