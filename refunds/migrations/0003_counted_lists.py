"""The counts of lists are kept, and each filter has an index in the order of its list."""

import django.db.models.deletion
from django.db import migrations, models

from core.schema import AddIndexOnline, DropIndexOnline, KeepCount
from refunds.counts import REFUNDS


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("core", "0003_count_entries"),
        ("merchants", "0001_initial"),
        ("payments", "0003_counted_lists"),
        ("refunds", "0002_move_notices"),
    ]

    operations = [
        KeepCount(REFUNDS),
        AddIndexOnline(
            model_name="refund",
            index=models.Index(
                fields=["merchant", "livemode", "status", "-created_at", "-id"],
                name="refund_by_status",
            ),
        ),
        DropIndexOnline("refunds_refund_merchant_id_bc44f600"),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name="refund",
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
