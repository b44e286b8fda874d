"""Two queues of the dashboard, without the merchants and payouts that wait for nobody."""

from django.db import migrations

from core.schema import CreateIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("backoffice", "0030_pairs_of_payments"),
        ("merchants", "0008_screens_renewed"),
        ("payouts", "0019_debits_left_by_reference"),
    ]

    operations = [
        CreateIndexOnline(
            "office_merchant_unverified",
            "merchants_merchant (created_at) WHERE status = 'unverified'",
        ),
        CreateIndexOnline(
            "office_payout_unpaid",
            "payouts_payout (livemode, updated_at) WHERE status IN ('failed', 'returned')",
        ),
    ]
