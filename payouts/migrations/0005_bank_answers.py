import django.db.models.deletion
import django.db.models.expressions
from django.db import migrations, models

import core.ids


class Migration(migrations.Migration):
    dependencies = [
        ("merchants", "0001_initial"),
        ("payouts", "0004_orders_of_earlier_batches"),
    ]

    operations = [
        migrations.CreateModel(
            name="BankEntry",
            fields=[
                ("id", core.ids.PublicIdField(max_length=40, primary_key=True, serialize=False)),
                ("livemode", models.BooleanField()),
                (
                    "source",
                    models.CharField(
                        choices=[
                            ("status_report", "status report (pain.002)"),
                            ("statement", "statement (camt.053)"),
                            ("notification", "notification (camt.054)"),
                        ],
                        max_length=16,
                    ),
                ),
                ("key", models.CharField(max_length=64)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("processing", "in process"),
                            ("settled", "settled"),
                            ("rejected", "rejected"),
                            ("debit", "money that left"),
                            ("return", "money sent back"),
                            ("credit", "money that came in"),
                            ("unknown", "a status that is not known"),
                        ],
                        max_length=16,
                    ),
                ),
                ("amount", models.BigIntegerField(null=True)),
                ("currency", models.CharField(blank=True, default="", max_length=3)),
                ("end_to_end_id", models.CharField(blank=True, default="", max_length=35)),
                ("message_reference", models.CharField(blank=True, default="", max_length=35)),
                ("bank_reference", models.CharField(blank=True, default="", max_length=140)),
                ("code", models.CharField(blank=True, default="", max_length=35)),
                ("message", models.CharField(blank=True, default="", max_length=255)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("unmatched", "Unmatched"),
                            ("matched", "Matched"),
                            ("other", "not of a payout"),
                        ],
                        default="unmatched",
                        max_length=16,
                    ),
                ),
                ("problem", models.CharField(blank=True, default="", max_length=255)),
                ("note", models.CharField(blank=True, default="", max_length=500)),
                ("created_at", models.DateTimeField()),
                ("resolved_at", models.DateTimeField(null=True)),
                ("resolved_by", models.CharField(blank=True, default="", max_length=100)),
            ],
            options={
                "verbose_name_plural": "bank entries",
            },
        ),
        migrations.CreateModel(
            name="BankFile",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "source",
                    models.CharField(
                        choices=[
                            ("status_report", "status report (pain.002)"),
                            ("statement", "statement (camt.053)"),
                            ("notification", "notification (camt.054)"),
                        ],
                        max_length=16,
                    ),
                ),
                ("message_id", models.CharField(max_length=35)),
                ("livemode", models.BooleanField()),
                ("content_hash", models.CharField(max_length=64)),
                ("created_at", models.DateTimeField()),
                ("created_by", models.CharField(max_length=100)),
            ],
        ),
        migrations.CreateModel(
            name="BankStatement",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("livemode", models.BooleanField()),
                ("number", models.CharField(max_length=45)),
                ("currency", models.CharField(max_length=3)),
                ("start_at", models.DateTimeField()),
                ("end_at", models.DateTimeField()),
                ("opening_amount", models.BigIntegerField(null=True)),
                ("closing_amount", models.BigIntegerField(null=True)),
                ("entries_amount", models.BigIntegerField()),
                ("created_at", models.DateTimeField()),
            ],
        ),
        migrations.RemoveConstraint(
            model_name="payout",
            name="payout_status",
        ),
        migrations.RemoveConstraint(
            model_name="payout",
            name="payout_paid_at",
        ),
        migrations.RemoveConstraint(
            model_name="payout",
            name="payout_failure_code",
        ),
        migrations.AddField(
            model_name="payout",
            name="booked_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="payout",
            name="return_booked_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="payout",
            name="returned_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AlterField(
            model_name="payout",
            name="status",
            field=models.CharField(
                choices=[
                    ("scheduled", "Scheduled"),
                    ("in_transit", "In Transit"),
                    ("paid", "Paid"),
                    ("failed", "Failed"),
                    ("canceled", "Canceled"),
                    ("returned", "Returned"),
                ],
                default="scheduled",
                max_length=16,
            ),
        ),
        migrations.AlterField(
            model_name="payouttransition",
            name="from_status",
            field=models.CharField(
                blank=True,
                choices=[
                    ("scheduled", "Scheduled"),
                    ("in_transit", "In Transit"),
                    ("paid", "Paid"),
                    ("failed", "Failed"),
                    ("canceled", "Canceled"),
                    ("returned", "Returned"),
                ],
                default="",
                max_length=16,
            ),
        ),
        migrations.AlterField(
            model_name="payouttransition",
            name="to_status",
            field=models.CharField(
                choices=[
                    ("scheduled", "Scheduled"),
                    ("in_transit", "In Transit"),
                    ("paid", "Paid"),
                    ("failed", "Failed"),
                    ("canceled", "Canceled"),
                    ("returned", "Returned"),
                ],
                max_length=16,
            ),
        ),
        migrations.AddIndex(
            model_name="payout",
            index=models.Index(
                condition=models.Q(("booked_at", None), ("status", "paid")),
                fields=["paid_at"],
                name="payout_unbooked",
            ),
        ),
        migrations.AddIndex(
            model_name="payout",
            index=models.Index(
                condition=models.Q(("status", "returned")),
                fields=["returned_at"],
                name="payout_returns",
            ),
        ),
        migrations.AddConstraint(
            model_name="payout",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "status__in",
                        ["scheduled", "in_transit", "paid", "failed", "canceled", "returned"],
                    )
                ),
                name="payout_status",
            ),
        ),
        migrations.AddConstraint(
            model_name="payout",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("returned_at__isnull", False), ("status", "returned")),
                    models.Q(
                        models.Q(("status", "returned"), _negated=True),
                        ("returned_at__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="payout_returned_at",
            ),
        ),
        migrations.AddConstraint(
            model_name="payout",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("paid_at__isnull", False), ("status__in", ["paid", "returned"])),
                    models.Q(
                        models.Q(("status__in", ["paid", "returned"]), _negated=True),
                        ("paid_at__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="payout_paid_at",
            ),
        ),
        migrations.AddConstraint(
            model_name="payout",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("status__in", ["failed", "returned"]), _negated=True),
                    models.Q(("failure_code", ""), _negated=True),
                    _connector="OR",
                ),
                name="payout_failure_code",
            ),
        ),
        migrations.AddField(
            model_name="bankentry",
            name="batch",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="bank_entries",
                to="payouts.payoutbatch",
            ),
        ),
        migrations.AddField(
            model_name="bankentry",
            name="payout",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="bank_entries",
                to="payouts.payout",
            ),
        ),
        migrations.AddConstraint(
            model_name="bankfile",
            constraint=models.UniqueConstraint(
                fields=("livemode", "source", "message_id"), name="bank_file_once"
            ),
        ),
        migrations.AddField(
            model_name="bankentry",
            name="file",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="entries",
                to="payouts.bankfile",
            ),
        ),
        migrations.AddField(
            model_name="bankstatement",
            name="file",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="statements",
                to="payouts.bankfile",
            ),
        ),
        migrations.AddField(
            model_name="bankentry",
            name="statement",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="entries",
                to="payouts.bankstatement",
            ),
        ),
        migrations.AddIndex(
            model_name="bankstatement",
            index=models.Index(
                fields=["livemode", "currency", "start_at"], name="bank_statement_first"
            ),
        ),
        migrations.AddConstraint(
            model_name="bankstatement",
            constraint=models.UniqueConstraint(
                fields=("livemode", "currency", "number"), name="bank_statement_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="bankstatement",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("opening_amount", None),
                    ("closing_amount", None),
                    (
                        "closing_amount",
                        django.db.models.expressions.CombinedExpression(
                            models.F("opening_amount"), "+", models.F("entries_amount")
                        ),
                    ),
                    _connector="OR",
                ),
                name="bank_statement_adds_up",
            ),
        ),
        migrations.AddIndex(
            model_name="bankentry",
            index=models.Index(
                condition=models.Q(("state", "unmatched")),
                fields=["livemode", "created_at"],
                name="bank_entry_waiting",
            ),
        ),
        migrations.AddConstraint(
            model_name="bankentry",
            constraint=models.UniqueConstraint(
                fields=("livemode", "source", "key"), name="bank_entry_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="bankentry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("resolved_at", None), ("state", "unmatched")),
                    models.Q(
                        models.Q(("state", "unmatched"), _negated=True),
                        ("resolved_at__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="bank_entry_resolved_at",
            ),
        ),
        migrations.AddConstraint(
            model_name="bankentry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "matched"), _negated=True),
                    ("payout__isnull", False),
                    ("batch__isnull", False),
                    _connector="OR",
                ),
                name="bank_entry_matched_with",
            ),
        ),
        migrations.AddConstraint(
            model_name="bankentry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "other"), _negated=True),
                    models.Q(("note", ""), _negated=True),
                    _connector="OR",
                ),
                name="bank_entry_noted",
            ),
        ),
    ]
