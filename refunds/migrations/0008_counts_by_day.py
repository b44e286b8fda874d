"""Refunds are counted by the day of their creation, too."""

from django.db import migrations

from core.schema import KeepCountByDay
from refunds.counts import REFUNDS


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("core", "0008_counts_by_day"),
        ("refunds", "0007_inquiries"),
    ]

    operations = [
        KeepCountByDay(REFUNDS),
    ]
