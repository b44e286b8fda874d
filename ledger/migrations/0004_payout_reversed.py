"""Let a payout that was paid come back: a kind of transfer of its own."""

from importlib import import_module

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from core.schema import AddConstraintOnline

SQLITE = import_module("ledger.migrations.0002_append_only").SQLITE


def protect_again(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """SQLite has built the table anew, without its triggers."""
    if schema_editor.connection.vendor != "sqlite":
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        there = {name for (name,) in cursor.fetchall()}
    for name, statement in SQLITE.items():
        if name not in there:
            schema_editor.execute(statement, params=None)


def constrain_as_before(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    model = apps.get_model("ledger", "Transfer")
    [known] = [each for each in model._meta.constraints if each.name == "transfer_kind_known"]
    schema_editor.add_constraint(model, known)
    protect_again(apps, schema_editor)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("ledger", "0003_account_exponent"),
    ]

    operations = [
        migrations.RunPython(migrations.RunPython.noop, constrain_as_before),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveConstraint(model_name="transfer", name="transfer_kind_known")
            ]
        ),
        migrations.AlterField(
            model_name="transfer",
            name="kind",
            field=models.CharField(
                choices=[
                    ("payment", "Payment"),
                    ("fee", "Fee"),
                    ("refund", "Refund"),
                    ("refund_fee", "Refund Fee"),
                    ("top_up", "Top Up"),
                    ("adjustment", "Adjustment"),
                    ("payout", "Payout"),
                    ("payout_paid", "Payout Paid"),
                    ("payout_returned", "Payout Returned"),
                    ("payout_reversed", "Payout Reversed"),
                ],
                max_length=16,
            ),
        ),
        AddConstraintOnline(
            model_name="transfer",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "kind__in",
                        [
                            "payment",
                            "fee",
                            "refund",
                            "refund_fee",
                            "top_up",
                            "adjustment",
                            "payout",
                            "payout_paid",
                            "payout_returned",
                            "payout_reversed",
                        ],
                    )
                ),
                name="transfer_kind_known",
            ),
        ),
        migrations.RunPython(protect_again, migrations.RunPython.noop),
    ]
