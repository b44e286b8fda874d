"""Let the tip of a payment be a transfer of its own."""

from django.db import migrations, models

from core.schema import AddConstraintOnline

KINDS = [
    "payment",
    "tip",
    "fee",
    "refund",
    "refund_fee",
    "top_up",
    "adjustment",
    "payout",
    "payout_paid",
    "payout_returned",
    "payout_reversed",
]


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("ledger", "0008_proof_in_slices"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="transfer", name="transfer_kind_known"),
        migrations.AlterField(
            model_name="transfer",
            name="kind",
            field=models.CharField(
                choices=[(kind, kind.replace("_", " ").title()) for kind in KINDS], max_length=16
            ),
        ),
        AddConstraintOnline(
            model_name="transfer",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", KINDS)), name="transfer_kind_known"
            ),
        ),
    ]
