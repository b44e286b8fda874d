"""The counts of lists are kept, and each filter has an index in the order of its list."""

import django.db.models.deletion
from django.db import migrations, models

from core.schema import AddIndexOnline, DropIndexOnline, KeepCount
from links.counts import LINKS


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("core", "0003_count_entries"),
        ("links", "0001_initial"),
        ("merchants", "0001_initial"),
    ]

    operations = [
        KeepCount(LINKS),
        AddIndexOnline(
            model_name="paymentlink",
            index=models.Index(
                fields=["merchant", "livemode", "status", "-created_at", "-id"],
                name="link_by_status",
            ),
        ),
        DropIndexOnline("links_paymentlink_merchant_id_7d8f93a2"),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name="paymentlink",
                    name="merchant",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="merchants.merchant",
                    ),
                ),
            ],
        ),
    ]
