"""Outages of endpoints that have ended. Of those before this there is no record."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webhooks", "0021_pending_in_own_words")]

    operations = [
        migrations.CreateModel(
            name="EndpointOutage",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("since", models.DateTimeField()),
                ("until", models.DateTimeField()),
                ("failures", models.PositiveIntegerField()),
                ("last_error", models.CharField(blank=True, default="", max_length=200)),
                (
                    "ended_by",
                    models.CharField(
                        choices=[
                            ("accepted", "Accepted"),
                            ("moved", "Moved"),
                            ("switched_on", "Switched On"),
                        ],
                        max_length=11,
                    ),
                ),
                (
                    "webhook",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="outages",
                        to="webhooks.webhook",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["webhook", "-until"], name="outage_newest")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("until__gt", models.F("since"))),
                        name="outage_ends_after_it_began",
                    )
                ],
            },
        ),
    ]
