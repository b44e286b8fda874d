"""Sign rows from here on, and note each signature for the log."""

from django.db import migrations

import core.signatures
from ledger.log_triggers import LogRows


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0006_signed_log"),
        ("funding", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="topup",
            name="signature",
            field=core.signatures.SignatureField(editable=False, max_length=64, null=True),
        ),
        migrations.AddField(
            model_name="topuptransition",
            name="signature",
            field=core.signatures.SignatureField(editable=False, max_length=64, null=True),
        ),
        LogRows("funding_topup"),
    ]
