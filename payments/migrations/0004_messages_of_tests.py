"""E-mails that are planned for test payments belong to their merchant."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django.db.models import OuterRef, Subquery


def name_merchants(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    payments = apps.get_model("payments", "Payment").objects.filter(pk=OuterRef("about"))
    messages = apps.get_model("messaging", "Message").objects
    planned = messages.filter(status="planned", livemode=False, about__startswith="pay_")
    planned.update(merchant_id=Subquery(payments.values("merchant_id")[:1]))


class Migration(migrations.Migration):
    dependencies = [
        ("messaging", "0002_message_merchant"),
        ("payments", "0003_counted_lists"),
    ]

    operations = [migrations.RunPython(name_merchants, migrations.RunPython.noop)]
