"""Lists of refunds: an index for each filter that was added."""

from django.db import migrations, models

from core.schema import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("merchants", "0003_email_confirmed"),
        ("payments", "0005_list_filters"),
        ("refunds", "0004_messages_of_tests"),
    ]

    operations = [
        AddIndexOnline(
            model_name="refund",
            index=models.Index(
                fields=["merchant", "livemode", "amount", "-created_at", "-id"],
                name="refund_by_amount",
            ),
        ),
        AddIndexOnline(
            model_name="refund",
            index=models.Index(
                fields=["merchant", "livemode", "currency", "-created_at", "-id"],
                name="refund_by_currency",
            ),
        ),
        AddIndexOnline(
            model_name="refund",
            index=models.Index(
                fields=["merchant", "livemode", "updated_at"], name="refund_updated"
            ),
        ),
    ]
