"""The mails about payments, planned and sent, become messages like all others."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from core.ids import new_id

BATCH = 1_000


def move(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    message_model = apps.get_model("messaging", "Message")
    emails = apps.get_model("payments", "PaymentEmail").objects.select_related("payment")
    batch = []
    for email in emails.order_by("pk").iterator(chunk_size=BATCH):
        batch.append(message_model(**_values(email)))
        if len(batch) == BATCH:
            message_model.objects.bulk_create(batch)
            batch = []
    message_model.objects.bulk_create(batch)


def _values(email) -> dict[str, object]:
    planned_at = email.due_at if email.kind == "receipt" else email.payment.created_at
    return {
        "id": new_id("msg", planned_at),
        "channel": "email",
        "kind": email.kind,
        "recipient": email.recipient,
        "language": email.language,
        "about": email.payment_id,
        "livemode": email.payment.livemode,
        "key": f"{email.payment_id}:{email.kind}:{email.recipient}:0",
        "status": email.status,
        "due_at": email.due_at,
        "attempts": int(email.status in ("sending", "sent", "failed")),
        # What was cut off by a crash stays so: the lease of that attempt is long over.
        "lease_until": email.due_at if email.status == "sending" else None,
        "last_error": "It could not be sent." if email.status == "failed" else "",
        "created_at": planned_at,
        "sent_at": (email.sent_at or email.due_at) if email.status == "sent" else None,
    }


class Migration(migrations.Migration):
    dependencies = [
        ("payments", "0001_initial"),
        ("messaging", "0001_initial"),
        ("backoffice", "0004_search_indexes"),  # makes an index on the table that goes
    ]

    operations = [
        migrations.RunPython(move, migrations.RunPython.noop),
        migrations.DeleteModel(name="PaymentEmail"),
    ]
