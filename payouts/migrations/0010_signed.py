"""Sign rows from here on, and note each signature for the log."""

from django.db import migrations

import core.signatures
from ledger.log_triggers import LogRows


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0006_signed_log"),
        ("payouts", "0009_booking_dates"),
    ]

    operations = [
        migrations.AddField(
            model_name="bankaccount",
            name="signature",
            field=core.signatures.SignatureField(editable=False, max_length=64, null=True),
        ),
        migrations.AddField(
            model_name="bankentry",
            name="signature",
            field=core.signatures.SignatureField(editable=False, max_length=64, null=True),
        ),
        migrations.AddField(
            model_name="payout",
            name="signature",
            field=core.signatures.SignatureField(editable=False, max_length=64, null=True),
        ),
        migrations.AddField(
            model_name="payoutbatch",
            name="signature",
            field=core.signatures.SignatureField(editable=False, max_length=64, null=True),
        ),
        migrations.AddField(
            model_name="payoutorder",
            name="signature",
            field=core.signatures.SignatureField(editable=False, max_length=64, null=True),
        ),
        migrations.AddField(
            model_name="payouttransition",
            name="signature",
            field=core.signatures.SignatureField(editable=False, max_length=64, null=True),
        ),
        LogRows("payouts_payout"),
        LogRows("payouts_payoutbatch"),
        LogRows("payouts_bankaccount"),
        LogRows("payouts_bankentry"),
    ]
