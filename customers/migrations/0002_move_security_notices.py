"""The texts about changed PINs and passkeys, waiting and sent, become messages like all others."""

from django.conf import settings
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django.utils import translation
from django.utils.translation import gettext

from core.ids import new_id

BATCH = 1_000
SAYS = {
    "pin_changed": "Your PIN for %(service)s was changed.",
    "passkey_added": "A passkey was added to your %(service)s wallet.",
    "passkey_removed": "A passkey was removed from your %(service)s wallet.",
}


def move(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    message_model = apps.get_model("messaging", "Message")
    notices = apps.get_model("customers", "SecurityNotice").objects.select_related("customer")
    batch = []
    for notice in notices.order_by("pk").iterator(chunk_size=BATCH):
        batch.append(message_model(**_values(notice)))
        if len(batch) == BATCH:
            message_model.objects.bulk_create(batch)
            batch = []
    message_model.objects.bulk_create(batch)


def _status(notice) -> str:
    """Return its status. Of one taken and not sent, nobody knows whether it was refused."""
    if notice.sent_at:
        return "sent"
    return "sending" if notice.taken_at else "planned"


def _values(notice) -> dict[str, object]:
    customer, status = notice.customer, _status(notice)
    message_id = new_id("msg", notice.created_at)
    with translation.override(customer.language or settings.LANGUAGE_CODE):
        text = gettext(SAYS[notice.change]) % {"service": settings.SERVICE_NAME}
    return {
        "id": message_id,
        "channel": "sms",
        "kind": notice.change,
        "recipient": customer.phone,
        "language": customer.language,
        "text": text,
        "about": customer.pk,
        "livemode": customer.livemode,
        "key": message_id,
        "status": status,
        "due_at": notice.created_at,
        "attempts": int(status != "planned"),
        # What was cut off by a crash stays so: the lease of that attempt is long over.
        "lease_until": notice.taken_at if status == "sending" else None,
        "created_at": notice.created_at,
        "sent_at": notice.sent_at,
    }


class Migration(migrations.Migration):
    dependencies = [
        ("customers", "0001_initial"),
        ("messaging", "0001_initial"),
    ]

    operations = [
        migrations.RunPython(move, migrations.RunPython.noop),
        migrations.DeleteModel(name="SecurityNotice"),
    ]
