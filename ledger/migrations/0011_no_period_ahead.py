"""Periods that a wrong clock has closed ahead end now: they are minded from here on."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from core.database_clock import database_now


def end_periods_ahead(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    now, accounts = database_now(), apps.get_model("ledger", "Account").objects
    accounts.filter(closed_until__gt=now).update(closed_until=now)


class Migration(migrations.Migration):
    dependencies = [("ledger", "0010_closed_periods")]

    operations = [migrations.RunPython(end_periods_ahead, migrations.RunPython.noop)]
