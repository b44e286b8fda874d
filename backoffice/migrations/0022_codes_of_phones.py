"""The codes that a customer has asked for, in the order of the timeline."""

from django.db import migrations

from core.schema import CreateIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("backoffice", "0021_short_pending_lists"),
        ("customers", "0001_initial"),
    ]

    operations = [
        CreateIndexOnline(
            "office_code_phone", "customers_signincode (phone, livemode, created_at)"
        ),
    ]
