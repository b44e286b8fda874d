"""The codes that a customer has asked for, in the order of the timeline."""

from django.db import migrations

from core.schema import CreateIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("backoffice", "0020_found_by_staff"),
        ("customers", "0001_initial"),
    ]

    operations = [
        CreateIndexOnline(
            "office_code_phone", "customers_signincode (phone, livemode, created_at)"
        ),
    ]
