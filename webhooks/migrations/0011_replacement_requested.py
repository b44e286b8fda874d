"""One more type of event: a customer asks for a new payment."""

from importlib import import_module

from django.db import migrations, models

# SQLite rebuilds the table for it, and its triggers are created again.
_triggers = import_module("webhooks.migrations.0005_merchant_updated")


class Migration(migrations.Migration):
    dependencies = [
        ("merchants", "0005_key_scopes"),
        ("webhooks", "0010_numbers_of_the_past"),
    ]

    operations = [
        migrations.RunPython(_triggers.keep_triggers, _triggers.restore_triggers),
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
                    ("payment.replacement_requested", "Payment Replacement Requested"),
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
                            "payment.replacement_requested",
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
        migrations.RunPython(_triggers.restore_triggers, _triggers.keep_triggers),
    ]
