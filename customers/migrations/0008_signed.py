"""Sign rows from here on, and note each signature for the log."""

from django.db import migrations

import core.signatures
from ledger.log_triggers import LogRows


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0006_signed_log"),
        ("customers", "0007_erasure"),
    ]

    operations = [
        migrations.AddField(
            model_name="customer",
            name="signature",
            field=core.signatures.SignatureField(editable=False, max_length=64, null=True),
        ),
        LogRows("customers_customer"),
    ]
