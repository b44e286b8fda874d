"""What customers report about payments, and what they are told."""

import django.db.models.deletion
from django.db import migrations, models

import core.ids


class Migration(migrations.Migration):
    dependencies = [
        ("merchants", "0005_key_scopes"),
        ("payments", "0008_till"),
        ("refunds", "0006_signed"),
    ]

    operations = [
        migrations.CreateModel(
            name="Inquiry",
            fields=[
                ("id", core.ids.PublicIdField(max_length=40, primary_key=True, serialize=False)),
                ("livemode", models.BooleanField()),
                (
                    "reason",
                    models.CharField(
                        choices=[
                            ("not_received", "Not Received"),
                            ("not_as_described", "Not As Described"),
                            ("wrong_amount", "Wrong Amount"),
                            ("duplicate", "Duplicate"),
                            ("unrecognized", "Unrecognized"),
                            ("other", "Other"),
                        ],
                        max_length=16,
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("answered", "Answered"),
                            ("refunded", "Refunded"),
                            ("closed", "Closed"),
                        ],
                        default="open",
                        max_length=16,
                    ),
                ),
                ("created_at", models.DateTimeField()),
                ("updated_at", models.DateTimeField()),
                ("open_since", models.DateTimeField(null=True)),
                (
                    "merchant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="merchants.merchant",
                    ),
                ),
                (
                    "payment",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, to="payments.payment"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "inquiries",
            },
        ),
        migrations.CreateModel(
            name="InquiryEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("answered", "Answered"),
                            ("refunded", "Refunded"),
                            ("closed", "Closed"),
                        ],
                        max_length=16,
                    ),
                ),
                ("text", models.CharField(blank=True, default="", max_length=500)),
                ("actor", models.CharField(max_length=100)),
                ("at", models.DateTimeField()),
                (
                    "inquiry",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entries",
                        to="refunds.inquiry",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "inquiry entries",
                "ordering": ("pk",),
            },
        ),
        migrations.AddIndex(
            model_name="inquiry",
            index=models.Index(
                fields=["merchant", "livemode", "-created_at", "-id"], name="inquiry_newest"
            ),
        ),
        migrations.AddIndex(
            model_name="inquiry",
            index=models.Index(
                fields=["merchant", "livemode", "status", "-created_at", "-id"],
                name="inquiry_by_status",
            ),
        ),
        migrations.AddIndex(
            model_name="inquiry",
            index=models.Index(
                condition=models.Q(("status", "open")),
                fields=["livemode", "open_since"],
                name="inquiry_open",
            ),
        ),
        migrations.AddConstraint(
            model_name="inquiry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("status", "open"), ("open_since__isnull", False)),
                    models.Q(
                        ("open_since", None), ("status__in", ["answered", "closed", "refunded"])
                    ),
                    _connector="OR",
                ),
                name="inquiry_status",
            ),
        ),
        migrations.AddConstraint(
            model_name="inquiry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "reason__in",
                        [
                            "not_received",
                            "not_as_described",
                            "wrong_amount",
                            "duplicate",
                            "unrecognized",
                            "other",
                        ],
                    )
                ),
                name="inquiry_reason",
            ),
        ),
    ]
