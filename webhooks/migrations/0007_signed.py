"""Sign rows from here on, and note each signature for the log."""

from django.db import migrations

import core.signatures
from ledger.log_triggers import LogRows


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0006_signed_log"),
        ("webhooks", "0006_messages_of_tests"),
    ]

    operations = [
        migrations.AddField(
            model_name="event",
            name="signature",
            field=core.signatures.SignatureField(editable=False, max_length=64, null=True),
        ),
        LogRows("webhooks_event"),
    ]
