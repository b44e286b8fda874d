"""One more type of event. SQLite rebuilds the table for it, and its triggers are created again."""

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

TRIGGERS = "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'webhooks_event'"
_kept: list[str] = []


def keep_triggers(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Remember the triggers of the table, which SQLite drops with the old one."""
    if schema_editor.connection.vendor == "sqlite":
        with schema_editor.connection.cursor() as cursor:
            cursor.execute(TRIGGERS)
            _kept[:] = [sql for (sql,) in cursor.fetchall()]


def restore_triggers(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "sqlite":
        for statement in _kept:
            schema_editor.execute(statement, params=None)


class Migration(migrations.Migration):
    dependencies = [
        ("merchants", "0002_public_fields"),
        ("webhooks", "0004_counted_lists"),
    ]

    operations = [
        migrations.RunPython(keep_triggers, restore_triggers),
        migrations.RemoveConstraint(
            model_name="event",
            name="event_type_known",
        ),
        migrations.AlterField(
            model_name="event",
            name="type",
            field=models.CharField(
                choices=[
                    ("payment.created", "Payment Created"),
                    ("payment.completed", "Payment Completed"),
                    ("payment.failed", "Payment Failed"),
                    ("payment.expired", "Payment Expired"),
                    ("payment.canceled", "Payment Canceled"),
                    ("payment.refunded", "Payment Refunded"),
                    ("refund.created", "Refund Created"),
                    ("refund.completed", "Refund Completed"),
                    ("refund.failed", "Refund Failed"),
                    ("payout.created", "Payout Created"),
                    ("payout.paid", "Payout Paid"),
                    ("payout.failed", "Payout Failed"),
                    ("payment_link.created", "Payment Link Created"),
                    ("payment_link.payment.completed", "Payment Link Payment Completed"),
                    ("payment_link.deactivated", "Payment Link Deactivated"),
                    ("payment_link.expired", "Payment Link Expired"),
                    ("merchant.updated", "Merchant Updated"),
                ],
                max_length=40,
            ),
        ),
        migrations.AddConstraint(
            model_name="event",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "type__in",
                        [
                            "payment.created",
                            "payment.completed",
                            "payment.failed",
                            "payment.expired",
                            "payment.canceled",
                            "payment.refunded",
                            "refund.created",
                            "refund.completed",
                            "refund.failed",
                            "payout.created",
                            "payout.paid",
                            "payout.failed",
                            "payment_link.created",
                            "payment_link.payment.completed",
                            "payment_link.deactivated",
                            "payment_link.expired",
                            "merchant.updated",
                        ],
                    )
                ),
                name="event_type_known",
            ),
        ),
        migrations.RunPython(restore_triggers, keep_triggers),
    ]
