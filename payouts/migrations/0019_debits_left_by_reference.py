"""A second debit of a payout, which is matched with nothing, is found by its references."""

from django.db import migrations, models

from core.schema import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("payouts", "0018_bank_entries_by_money")]

    operations = [
        AddIndexOnline(
            model_name="bankentry",
            index=models.Index(
                condition=models.Q(kind="debit", state__in=("unmatched", "other")),
                fields=["end_to_end_id", "message_reference"],
                name="bank_entry_left",
            ),
        ),
    ]
