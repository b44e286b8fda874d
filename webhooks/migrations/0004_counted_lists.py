"""The counts of lists are kept, and each filter has an index in the order of its list."""

import django.db.models.deletion
from django.db import migrations, models

from core.schema import AddIndexOnline, DropIndexOnline, KeepCount
from webhooks.counts import DELIVERIES, EVENTS


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("core", "0003_count_entries"),
        ("merchants", "0001_initial"),
        ("webhooks", "0003_move_alerts"),
    ]

    operations = [
        KeepCount(EVENTS),
        KeepCount(DELIVERIES),
        AddIndexOnline(
            model_name="delivery",
            index=models.Index(
                condition=models.Q(("status", "canceled")),
                fields=["webhook", "created_at", "id"],
                name="delivery_canceled",
            ),
        ),
        AddIndexOnline(
            model_name="event",
            index=models.Index(
                fields=["merchant", "livemode", "type", "-created_at", "-id"], name="event_by_type"
            ),
        ),
        DropIndexOnline("webhooks_event_merchant_id_29c51e5b"),
        DropIndexOnline("webhooks_delivery_event_id_b6f5af91"),
        DropIndexOnline("webhooks_attempt_delivery_id_bb1708b1"),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name="attempt",
                    name="delivery",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="attempts",
                        to="webhooks.delivery",
                    ),
                ),
                migrations.AlterField(
                    model_name="delivery",
                    name="event",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="deliveries",
                        to="webhooks.event",
                    ),
                ),
                migrations.AlterField(
                    model_name="event",
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
