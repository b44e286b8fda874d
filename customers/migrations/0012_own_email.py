"""Two more changes of an account: an e-mail address was confirmed, or removed."""

from django.db import migrations, models

from core.schema import AddConstraintOnline

CHANGES = ["frozen", "unfrozen", "erased", "email_set", "email_removed"]


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("customers", "0011_sign_in_by_passkey"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="customerchange", name="customer_change_known"),
        migrations.AlterField(
            model_name="customerchange",
            name="change",
            field=models.CharField(
                choices=[(change, change.replace("_", " ").title()) for change in CHANGES],
                max_length=16,
            ),
        ),
        AddConstraintOnline(
            model_name="customerchange",
            constraint=models.CheckConstraint(
                condition=models.Q(("change__in", CHANGES)), name="customer_change_known"
            ),
        ),
    ]
