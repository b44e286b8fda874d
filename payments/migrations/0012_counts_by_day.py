"""Payments are counted by the day of their creation, too."""

from django.db import migrations

from core.schema import KeepCountByDay
from payments.counts import PAYMENTS


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("core", "0008_counts_by_day"),
        ("payments", "0011_paid_description"),
    ]

    operations = [
        KeepCountByDay(PAYMENTS),
    ]
