"""Sign rows from here on, and note each signature for the log."""

from django.db import migrations

import core.signatures
from ledger.log_triggers import LogRows


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0006_signed_log"),
        ("payments", "0005_list_filters"),
    ]

    operations = [
        migrations.AddField(
            model_name="payment",
            name="signature",
            field=core.signatures.SignatureField(editable=False, max_length=64, null=True),
        ),
        migrations.AddField(
            model_name="paymenttransition",
            name="signature",
            field=core.signatures.SignatureField(editable=False, max_length=64, null=True),
        ),
        LogRows("payments_payment"),
    ]
