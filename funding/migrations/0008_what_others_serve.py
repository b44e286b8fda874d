"""A customer's top-ups have an index in the order of their list, and references are asked for whole.

So the customer needs no index of its own, nor the reference Django's for LIKE.
"""

import django.db.models.deletion
from django.db import migrations, models

from core.schema import DropIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("funding", "0007_cash_without_an_amount")]

    operations = [
        DropIndexOnline("funding_topup_customer_id_f5e271ca"),
        DropIndexOnline("funding_topup_reference_28d76211_like"),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name="topup",
                    name="customer",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="top_ups",
                        to="customers.customer",
                    ),
                ),
            ],
        ),
    ]
