"""Totals of lists over all owners: what was folded before the triggers is added."""

from django.db import migrations

from core.schema import CountTotals


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("core", "0009_list_totals"),
    ]

    operations = [
        CountTotals(),
    ]
