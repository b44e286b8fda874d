"""Each session has its own proof for a payment: someone else's press of Pay replaces none."""

from django.db import migrations, models
from django.db.models.deletion import PROTECT


class Migration(migrations.Migration):
    dependencies = [
        ("payments", "0014_sellable_products"),
        ("funding", "0005_cash_of_a_day"),
    ]

    operations = [
        migrations.AlterField(
            model_name="paymentproof",
            name="payment",
            field=models.ForeignKey(
                on_delete=PROTECT, db_index=False, related_name="+", to="payments.payment"
            ),
        ),
        migrations.AddConstraint(
            model_name="paymentproof",
            constraint=models.UniqueConstraint(
                fields=["payment", "session"], name="payment_proof_once"
            ),
        ),
    ]
