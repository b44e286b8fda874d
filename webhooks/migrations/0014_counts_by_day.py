"""Events and deliveries are counted by the day of their creation, too."""

from django.db import migrations

from core.schema import KeepCountByDay
from webhooks.counts import DELIVERIES, EVENTS


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("core", "0008_counts_by_day"),
        ("webhooks", "0013_deliveries_by_time"),
    ]

    operations = [
        KeepCountByDay(EVENTS),
        KeepCountByDay(DELIVERIES),
    ]
