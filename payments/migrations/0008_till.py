"""What stands at a counter: the till, tickets, tips."""

import django.db.models.deletion
from django.db import migrations, models

import core.ids
from core.schema import AddConstraintOnline, AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("customers", "0008_signed"),
        ("links", "0003_list_filters"),
        ("merchants", "0004_signed"),
        ("payments", "0007_counter_screens_key"),
    ]

    operations = [
        migrations.CreateModel(
            name="Till",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("livemode", models.BooleanField()),
                ("products", models.JSONField(default=list)),
                ("tips_allowed", models.BooleanField(default=False)),
                ("updated_at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.AddField(
            model_name="payment",
            name="tip",
            field=models.BigIntegerField(null=True),
        ),
        migrations.CreateModel(
            name="Ticket",
            fields=[
                ("id", core.ids.PublicIdField(max_length=40, primary_key=True, serialize=False)),
                ("amount", models.BigIntegerField()),
                ("currency", models.CharField(max_length=3)),
                ("items", models.JSONField(null=True)),
                ("created_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("taken_at", models.DateTimeField(null=True)),
                ("withdrawn_at", models.DateTimeField(null=True)),
                (
                    "counter",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="tickets",
                        to="payments.payment",
                    ),
                ),
                (
                    "taken_by",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="payments.payment",
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="payment",
            name="ticket",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                to="payments.ticket",
            ),
        ),
        AddIndexOnline(
            model_name="payment",
            index=models.Index(
                condition=models.Q(("ticket__isnull", False)),
                fields=["ticket"],
                name="payment_of_ticket",
            ),
        ),
        AddConstraintOnline(
            model_name="payment",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("tip__isnull", True),
                    models.Q(
                        ("amount__isnull", False), ("tip__gte", 1), ("tip__lt", models.F("amount"))
                    ),
                    _connector="OR",
                ),
                name="payment_tip",
            ),
        ),
        migrations.AddField(
            model_name="till",
            name="merchant",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, to="merchants.merchant"
            ),
        ),
        migrations.AddIndex(
            model_name="ticket",
            index=models.Index(
                condition=models.Q(("taken_at", None), ("withdrawn_at", None)),
                fields=["counter", "created_at", "id"],
                name="ticket_waiting",
            ),
        ),
        migrations.AddConstraint(
            model_name="ticket",
            constraint=models.CheckConstraint(
                condition=models.Q(("amount__range", (1, 99999999999))), name="ticket_amount"
            ),
        ),
        migrations.AddConstraint(
            model_name="ticket",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("taken_at", None), ("taken_by", None)),
                    models.Q(
                        ("taken_at__isnull", False),
                        ("taken_by__isnull", False),
                        ("withdrawn_at", None),
                    ),
                    _connector="OR",
                ),
                name="ticket_ends_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="till",
            constraint=models.UniqueConstraint(fields=("merchant", "livemode"), name="till_once"),
        ),
    ]
