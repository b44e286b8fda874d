"""What staff have had sent, and what still waits, become messages like all others."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from core.ids import new_id

BATCH = 1_000
EMAILS, MESSAGES = "/admin/payments/paymentemail/", "/admin/messaging/message/"


def move(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    message_model = apps.get_model("messaging", "Message")
    test_links = apps.get_model("links", "PaymentLink").objects.filter(livemode=False)
    rows = apps.get_model("backoffice", "Message").objects.order_by("pk")
    batch = []
    for row in rows.iterator(chunk_size=BATCH):
        is_test = test_links.filter(pk=row.about_id).exists()
        batch.append(message_model(livemode=not is_test, **_values(row)))
        if len(batch) == BATCH:
            message_model.objects.bulk_create(batch)
            batch = []
    message_model.objects.bulk_create(batch)
    views = apps.get_model("backoffice", "SavedView").objects
    views.filter(path=EMAILS).update(path=MESSAGES)


def _status(row) -> str:
    if row.sent_at:
        return "sent"
    if row.failed_at:
        return "failed"
    return "sending" if row.claimed_at else "planned"


def _values(row) -> dict[str, object]:
    message_id, status = new_id("msg", row.created_at), _status(row)
    return {
        "id": message_id,
        "channel": row.channel,
        "kind": "payment_link" if row.about_id.startswith("link_") else "api_key",
        "recipient": row.recipient,
        "subject": row.subject,
        "text": row.text,
        "about": row.about_id,
        "key": message_id,
        "status": status,
        "due_at": row.created_at,
        "attempts": int(status != "planned"),
        # What was cut off by a crash stays so: the lease of that attempt is long over.
        "lease_until": row.claimed_at if status == "sending" else None,
        "last_error": "It could not be sent." if status == "failed" else "",
        "created_at": row.created_at,
        "sent_at": row.sent_at,
    }


class Migration(migrations.Migration):
    dependencies = [
        ("backoffice", "0004_search_indexes"),
        ("links", "0001_initial"),
        ("messaging", "0001_initial"),
    ]

    operations = [
        migrations.RunPython(move, migrations.RunPython.noop),
        migrations.DeleteModel(name="Message"),
    ]
