"""The counts of attempts belong to core now, table and rows."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("customers", "0002_move_security_notices"), ("core", "0002_quota")]

    operations = [
        migrations.SeparateDatabaseAndState(state_operations=[migrations.DeleteModel("Quota")])
    ]
