"""Refunds and payouts found by their amount, in the order of their lists."""

from django.db import migrations

from core.schema import CreateIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("backoffice", "0013_exports"),
        ("payouts", "0001_initial"),
        ("refunds", "0001_initial"),
    ]

    operations = [
        CreateIndexOnline("office_refund_amount", "refunds_refund (amount, id)"),
        CreateIndexOnline("office_payout_amount", "payouts_payout (amount, id)"),
    ]
