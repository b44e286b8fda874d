"""The alerts to merchants, waiting and mailed, become messages like all others."""

from django.conf import settings
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django.template.loader import render_to_string

from core.ids import new_id

BATCH = 1_000
SUBJECTS = {
    "exhausted": "Your webhook endpoint is not answering",
    "gone": "Your webhook endpoint has been switched off",
    "failing": "Your webhook endpoint has been switched off",
}


def move(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    message_model = apps.get_model("messaging", "Message")
    alerts = apps.get_model("webhooks", "Alert").objects.order_by("pk")
    batch = []
    related = alerts.select_related("webhook__merchant", "delivery")
    for alert in related.iterator(chunk_size=BATCH):
        batch.append(message_model(**_values(alert)))
        if len(batch) == BATCH:
            message_model.objects.bulk_create(batch)
            batch = []
    message_model.objects.bulk_create(batch)


def _values(alert) -> dict[str, object]:
    webhook = alert.webhook
    context = {
        "webhook": webhook,
        "delivery": alert.delivery,
        "service_name": settings.SERVICE_NAME,
    }
    return {
        "id": new_id("msg", alert.created_at),
        "channel": "email",
        "kind": alert.kind,
        "recipient": webhook.merchant.email,
        "subject": SUBJECTS[alert.kind],
        "text": render_to_string(f"webhooks/{alert.kind}.txt", context),
        "about": webhook.pk,
        "livemode": webhook.livemode,
        "key": f"{webhook.pk}:{alert.kind}:{alert.date}",
        "repeatable": True,
        "status": "sent" if alert.mailed_at else "planned",
        "due_at": alert.next_mail_at or alert.created_at,
        "attempts": 1 if alert.mailed_at else 0,
        "created_at": alert.created_at,
        "sent_at": alert.mailed_at,
    }


class Migration(migrations.Migration):
    dependencies = [
        ("webhooks", "0002_unchanged_events"),
        ("messaging", "0001_initial"),
    ]

    operations = [
        migrations.RunPython(move, migrations.RunPython.noop),
        migrations.DeleteModel(name="Alert"),
    ]
