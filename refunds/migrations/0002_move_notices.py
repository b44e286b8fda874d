"""The notices of refunds, due and sent, become messages like all others."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from core.ids import new_id

BATCH = 1_000
STATUSES = {"due": "planned", "sending": "sending", "sent": "sent", "failed": "failed"}


def move(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    message_model = apps.get_model("messaging", "Message")
    refunds = apps.get_model("refunds", "Refund").objects.filter(
        status="succeeded", notice_status__in=STATUSES
    )
    batch = []
    related = refunds.select_related("payment__customer").order_by("pk")
    for refund in related.iterator(chunk_size=BATCH):
        if _is_told(refund):
            batch.append(message_model(**_values(refund)))
        if len(batch) == BATCH:
            message_model.objects.bulk_create(batch)
            batch = []
    message_model.objects.bulk_create(batch)


def _address(refund) -> str:
    return refund.payment.customer.email or refund.payment.customer_email or ""


def _is_told(refund) -> bool:
    """Return whether there is someone to tell: in test mode no phone gets a text."""
    return bool(_address(refund)) or refund.payment.customer.livemode


def _values(refund) -> dict[str, object]:
    address, status = _address(refund), STATUSES[refund.notice_status]
    return {
        "id": new_id("msg", refund.succeeded_at),
        "channel": "email" if address else "sms",
        "kind": "refund",
        "recipient": address or refund.payment.customer.phone,
        "language": refund.payment.customer.language,
        "about": refund.pk,
        "livemode": refund.livemode,
        "key": f"{refund.pk}:refund",
        "status": status,
        "due_at": refund.succeeded_at,
        "attempts": int(status != "planned"),
        # What was cut off by a crash stays so: the lease of that attempt is long over.
        "lease_until": refund.succeeded_at if status == "sending" else None,
        "last_error": "It could not be sent." if status == "failed" else "",
        "created_at": refund.succeeded_at,
        "sent_at": (refund.notified_at or refund.succeeded_at) if status == "sent" else None,
    }


class Migration(migrations.Migration):
    dependencies = [
        ("refunds", "0001_initial"),
        ("messaging", "0001_initial"),
    ]

    operations = [
        migrations.RunPython(move, migrations.RunPython.noop),
        migrations.RemoveIndex(model_name="refund", name="refund_to_notify"),
        migrations.RemoveField(model_name="refund", name="notice_status"),
        migrations.RemoveField(model_name="refund", name="notified_at"),
    ]
