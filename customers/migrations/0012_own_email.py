"""Two more changes of an account: an e-mail address was confirmed, or removed."""

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from core.schema import AddConstraintOnline

CHANGES = ["frozen", "unfrozen", "erased", "email_set", "email_removed"]


def constrain_as_before(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    model = apps.get_model("customers", "CustomerChange")
    [known] = [each for each in model._meta.constraints if each.name == "customer_change_known"]
    schema_editor.add_constraint(model, known)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("customers", "0011_sign_in_by_passkey"),
    ]

    operations = [
        migrations.RunPython(migrations.RunPython.noop, constrain_as_before),
        # The database keeps it until the new one takes its name: this can be cut off, and repeated.
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveConstraint(
                    model_name="customerchange", name="customer_change_known"
                )
            ]
        ),
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
