"""E-mails that are planned as notices of test refunds belong to their merchant."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django.db.models import OuterRef, Subquery


def name_merchants(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    rows = apps.get_model("refunds", "Refund").objects.filter(pk=OuterRef("about"))
    messages = apps.get_model("messaging", "Message").objects
    planned = messages.filter(status="planned", livemode=False, about__startswith="ref_")
    planned.update(merchant_id=Subquery(rows.values("merchant_id")[:1]))


class Migration(migrations.Migration):
    dependencies = [
        ("messaging", "0002_message_merchant"),
        ("refunds", "0003_counted_lists"),
    ]

    operations = [migrations.RunPython(name_merchants, migrations.RunPython.noop)]
