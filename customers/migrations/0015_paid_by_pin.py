"""What was paid by PIN is kept with when, for a limit of any 24 hours.

The columns that counted a day from its first payment on are forgotten: the database keeps them,
with a default, for processes of the previous version. A later release drops them.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("customers", "0014_session_device")]

    operations = [
        migrations.AddField(
            model_name="customer",
            name="paid_by_pin",
            field=models.TextField(blank=True, db_default="", default="", editable=False),
        ),
        migrations.AlterField(
            model_name="customer",
            name="pin_day_amount",
            field=models.BigIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveField(model_name="customer", name="pin_day_amount"),
                migrations.RemoveField(model_name="customer", name="pin_day_started_at"),
            ]
        ),
    ]
