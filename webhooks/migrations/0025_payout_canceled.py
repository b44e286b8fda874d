"""One more type of event: a payout is canceled before it is sent."""

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from core.schema import AddConstraintOnline

TYPES = [
    "payment.created",
    "payment.completed",
    "payment.failed",
    "payment.expired",
    "payment.canceled",
    "payment.refunded",
    "payment.replacement_requested",
    "refund.created",
    "refund.completed",
    "refund.failed",
    "inquiry.created",
    "inquiry.updated",
    "payout.created",
    "payout.paid",
    "payout.failed",
    "payout.canceled",
    "payment_link.created",
    "payment_link.payment.completed",
    "payment_link.deactivated",
    "payment_link.expired",
    "merchant.updated",
]


def constrain_as_before(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    model = apps.get_model("webhooks", "Event")
    [known] = [each for each in model._meta.constraints if each.name == "event_type_known"]
    schema_editor.add_constraint(model, known)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("webhooks", "0024_outages_of_merchants"),
    ]

    operations = [
        migrations.RunPython(migrations.RunPython.noop, constrain_as_before),
        # The database keeps it until the new one takes its name: this can be cut off, and repeated.
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveConstraint(model_name="event", name="event_type_known")
            ]
        ),
        migrations.AlterField(
            model_name="event",
            name="type",
            field=models.CharField(
                choices=[
                    (kind, kind.replace(".", " ").replace("_", " ").title()) for kind in TYPES
                ],
                max_length=40,
            ),
        ),
        AddConstraintOnline(
            model_name="event",
            constraint=models.CheckConstraint(
                condition=models.Q(("type__in", TYPES)), name="event_type_known"
            ),
        ),
    ]
