from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("backoffice", "0018_deliveries_ended"),
    ]

    operations = [
        migrations.AlterField(
            model_name="instruction",
            name="kind",
            field=models.CharField(
                choices=[
                    ("refund", "refund"),
                    ("top_up", "top_up"),
                    ("adjustment", "adjustment"),
                    ("payout", "payout"),
                    ("bank_account", "bank_account"),
                    ("staff", "staff"),
                    ("live_key", "live_key"),
                    ("erasure", "erasure"),
                    ("bank_file", "bank_file"),
                    ("wallet_access", "wallet_access"),
                ],
                max_length=16,
            ),
        ),
    ]
