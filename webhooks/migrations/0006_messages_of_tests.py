"""E-mails that are planned as alerts about test endpoints belong to their merchant."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django.db.models import OuterRef, Subquery


def name_merchants(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    rows = apps.get_model("webhooks", "Webhook").objects.filter(pk=OuterRef("about"))
    messages = apps.get_model("messaging", "Message").objects
    planned = messages.filter(status="planned", livemode=False, about__startswith="wh_")
    planned.update(merchant_id=Subquery(rows.values("merchant_id")[:1]))


class Migration(migrations.Migration):
    dependencies = [
        ("messaging", "0002_message_merchant"),
        ("webhooks", "0005_merchant_updated"),
    ]

    operations = [migrations.RunPython(name_merchants, migrations.RunPython.noop)]
