"""Lists of payments: by amount, currency or time of change, the index also has the status."""

from django.db import migrations, models

from core.schema import AddIndexOnline, RemoveIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("payments", "0012_counts_by_day"),
    ]

    operations = [
        AddIndexOnline(
            model_name="payment",
            index=models.Index(
                fields=["merchant", "livemode", "amount", "-created_at", "-id", "status"],
                name="payment_by_amount_status",
            ),
        ),
        AddIndexOnline(
            model_name="payment",
            index=models.Index(
                fields=["merchant", "livemode", "currency", "-created_at", "-id", "status"],
                name="payment_by_currency_status",
            ),
        ),
        AddIndexOnline(
            model_name="payment",
            index=models.Index(
                fields=["merchant", "livemode", "updated_at", "status"],
                name="payment_updated_status",
            ),
        ),
        RemoveIndexOnline(model_name="payment", name="payment_by_amount"),
        RemoveIndexOnline(model_name="payment", name="payment_by_currency"),
        RemoveIndexOnline(model_name="payment", name="payment_updated"),
    ]
