"""What the bank has charged within a debit stands beside its amount."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("payouts", "0013_merchants_bank_accounts")]

    operations = [
        migrations.AddField(
            model_name="bankentry",
            name="charge_amount",
            field=models.BigIntegerField(db_default=0, default=0),
        ),
    ]
