"""What an account saw in a stretch of time, from an index, however much there is in all."""

from django.db import migrations, models

from core.schema import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("ledger", "0004_payout_reversed")]

    operations = [
        AddIndexOnline(
            "transfer",
            models.Index(fields=["debit_account", "created_at", "id"], name="transfer_debits_at"),
        ),
        AddIndexOnline(
            "transfer",
            models.Index(fields=["credit_account", "created_at", "id"], name="transfer_credits_at"),
        ),
    ]
