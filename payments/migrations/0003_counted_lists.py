"""Lists of payments: their counts are kept, and each filter has an index in the order of the list.

The indexes of the foreign keys go: those of the lists begin with the same columns.
"""

import django.db.models.deletion
from django.db import migrations, models

from core.schema import AddIndexOnline, DropIndexOnline, KeepCount
from payments.counts import PAYMENTS


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("core", "0003_count_entries"),
        ("customers", "0001_initial"),
        ("links", "0002_counted_lists"),
        ("merchants", "0001_initial"),
        ("payments", "0002_move_emails"),
    ]

    operations = [
        KeepCount(PAYMENTS),
        AddIndexOnline(
            model_name="payment",
            index=models.Index(
                fields=["merchant", "livemode", "status", "-created_at", "-id"],
                name="payment_by_status",
            ),
        ),
        AddIndexOnline(
            model_name="payment",
            index=models.Index(
                fields=["merchant", "livemode", "payment_mode", "-created_at", "-id"],
                name="payment_by_mode",
            ),
        ),
        AddIndexOnline(
            model_name="payment",
            index=models.Index(
                condition=models.Q(("customer__isnull", False)),
                fields=["customer", "-created_at", "-id"],
                name="payment_of_customer",
            ),
        ),
        AddIndexOnline(
            model_name="payment",
            index=models.Index(
                condition=models.Q(("link__isnull", False)),
                fields=["link", "-created_at", "-id"],
                name="payment_of_link",
            ),
        ),
        AddIndexOnline(
            model_name="payment",
            index=models.Index(
                condition=models.Q(("static_payment__isnull", False)),
                fields=["static_payment", "-created_at", "-id"],
                name="payment_of_counter",
            ),
        ),
        DropIndexOnline("payments_payment_merchant_id_2ca42133"),
        DropIndexOnline("payments_payment_customer_id_8b4d6141"),
        DropIndexOnline("payments_payment_link_id_5082c9d5"),
        DropIndexOnline("payments_payment_static_payment_id_1f3f4f65"),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name="payment",
                    name="customer",
                    field=models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="customers.customer",
                    ),
                ),
                migrations.AlterField(
                    model_name="payment",
                    name="link",
                    field=models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="links.paymentlink",
                    ),
                ),
                migrations.AlterField(
                    model_name="payment",
                    name="merchant",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="merchants.merchant",
                    ),
                ),
                migrations.AlterField(
                    model_name="payment",
                    name="static_payment",
                    field=models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="payments.payment",
                    ),
                ),
            ],
        ),
    ]
