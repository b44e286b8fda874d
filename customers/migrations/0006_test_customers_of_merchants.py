"""Test customers belong to a merchant: those who test for another one no longer meet them.

A test customer whose payments are all of one merchant becomes that merchant's, with wallet, PIN,
passkeys and sessions. Any other stays as it is, for its payments, refunds and transfers to refer
to, but belongs to no merchant: its sessions end, and no one signs in to it again. At the next test
with its phone each merchant gets a customer of its own, with a full wallet.
"""

import django.db.models.deletion
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from django.db.models import F, Max, Min, OuterRef, Subquery
from django.utils import timezone


def take_time(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("SET LOCAL statement_timeout = 0", params=None)


def assign(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    payments = apps.get_model("payments", "Payment").objects.filter(customer=OuterRef("pk"))
    merchants = payments.order_by().values("customer")
    merchants = merchants.annotate(first=Min("merchant"), last=Max("merchant"))
    only = merchants.filter(first=F("last")).values("first")
    customers = apps.get_model("customers", "Customer").objects.filter(livemode=False)
    customers.filter(merchant=None).update(merchant=Subquery(only))
    sessions = apps.get_model("customers", "CustomerSession").objects.filter(ended_at=None)
    shared = customers.filter(merchant=None).values("pk")
    sessions.filter(customer__in=shared).update(ended_at=timezone.now())


class Migration(migrations.Migration):
    dependencies = [
        ("customers", "0005_cash_codes"),
        ("merchants", "0003_email_confirmed"),
        ("payments", "0001_initial"),
    ]

    operations = [
        migrations.RunPython(take_time, take_time),
        migrations.RemoveConstraint(model_name="customer", name="customer_once"),
        migrations.AddField(
            model_name="customer",
            name="merchant",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="merchants.merchant",
            ),
        ),
        migrations.AddConstraint(
            model_name="customer",
            constraint=models.UniqueConstraint(
                condition=models.Q(("livemode", True)), fields=("phone",), name="live_customer_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="customer",
            constraint=models.UniqueConstraint(
                fields=("phone", "livemode", "merchant"), name="test_customer_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="customer",
            constraint=models.CheckConstraint(
                condition=models.Q(("livemode", False), ("merchant", None), _connector="OR"),
                name="customer_live_has_no_merchant",
            ),
        ),
        migrations.RunPython(assign, migrations.RunPython.noop),
    ]
