"""Top-ups found by their amount, refunds by when they failed, bank entries by their day."""

from django.db import migrations

from core.schema import CreateIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("backoffice", "0019_wallet_access"),
        ("funding", "0004_what_was_proved"),
        ("payouts", "0018_bank_entries_by_money"),
        ("refunds", "0007_inquiries"),
    ]

    operations = [
        CreateIndexOnline("office_top_up_amount", "funding_topup (amount, id)"),
        CreateIndexOnline(
            "office_refund_failed",
            "refunds_refund (livemode, failed_at) WHERE failed_at IS NOT NULL",
        ),
        CreateIndexOnline("office_entry_booked", "payouts_bankentry (booking_date)"),
    ]
