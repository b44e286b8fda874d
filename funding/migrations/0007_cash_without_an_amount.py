"""Nothing reads how much cash a day's row counts: the code forgets the column.

The database keeps it, with a default, for processes of the previous version, which write it. A
later release drops it and its constraint.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("funding", "0006_proof_of_each_session")]

    operations = [
        migrations.AlterField(
            model_name="cashday",
            name="amount",
            field=models.BigIntegerField(db_default=0, default=0),
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveConstraint(model_name="cashday", name="cash_day_amount"),
                migrations.RemoveField(model_name="cashday", name="amount"),
            ]
        ),
    ]
