"""Keep what the addresses of counter screens were made by, so that SECRET_KEY may change."""

import hashlib

from django.conf import settings
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from core.crypto import encrypt


def keep_key(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    name = "payments.counter"
    if not apps.get_model("payments", "Payment").objects.filter(payment_mode="STATIC_PAY").exists():
        return  # it is kept when the first address is made
    key = hashlib.sha256(name.encode() + settings.SECRET_KEY.encode()).hexdigest()
    apps.get_model("core", "AddressKey").objects.get_or_create(
        name=name, defaults={"sealed_key": encrypt(key)}
    )


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0005_keys_in_use"),
        ("payments", "0006_signed"),
    ]

    operations = [migrations.RunPython(keep_key, migrations.RunPython.noop)]
