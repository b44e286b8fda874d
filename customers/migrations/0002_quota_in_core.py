"""The counts of attempts belong to core now, table and rows."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("customers", "0001_initial"), ("core", "0002_quota")]

    operations = [
        migrations.SeparateDatabaseAndState(state_operations=[migrations.DeleteModel("Quota")])
    ]
