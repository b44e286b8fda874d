"""The list by amount is read from an index in its order."""

from django.db import migrations, models

from core.schema import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("links", "0003_list_filters")]

    operations = [
        AddIndexOnline(
            model_name="paymentlink",
            index=models.Index(
                fields=["merchant", "livemode", "amount", "-created_at", "-id"],
                name="link_by_amount",
            ),
        ),
    ]
