"""Saved views of what is not a list go: they could hold whatever an address holds."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def forget(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    views = apps.get_model("backoffice", "SavedView").objects
    views.exclude(path__regex=r"^/admin/[a-z]+/[a-z]+/$").delete()


class Migration(migrations.Migration):
    dependencies = [("backoffice", "0022_codes_of_phones")]

    operations = [migrations.RunPython(forget, migrations.RunPython.noop)]
