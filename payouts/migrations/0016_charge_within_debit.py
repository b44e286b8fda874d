"""A charge is within a debit, or all of what the bank gives back: what is not, goes."""

from django.db import migrations, models, transaction
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from core.schema import AddConstraintOnline
from core.signatures import is_signed, sign

TABLE = "payouts_bankentry"
# What was signed of an entry, before the charge: that is left out where it is 0.
SIGNED = (
    *("id", "file_id", "statement_id", "livemode", "source", "key", "kind", "amount"),
    *("currency", "end_to_end_id", "message_reference", "bank_reference", "booking_date"),
    *("code", "message", "created_at"),
)
WITHIN = models.Q(
    ("amount__isnull", False),
    ("charge_amount__gt", 0),
    ("charge_amount__lte", models.F("amount")),
    ("kind", "debit"),
)
GIVEN_BACK = models.Q(
    ("amount", models.F("charge_amount")), ("charge_amount__gt", 0), ("kind", "credit")
)


def drop_false_charges(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Take away what a bank gave back beside a transfer, which was once read as a negative charge.

    Such an entry is signed anew where its signature was right; another stays as wrong as it is.
    """
    entries = apps.get_model("payouts", "BankEntry").objects.exclude(charge_amount=0)
    with transaction.atomic():
        for entry in entries.exclude(WITHIN | GIVEN_BACK).order_by("pk"):
            values = (TABLE, *(getattr(entry, name) for name in SIGNED))
            if is_signed(entry.signature, (*values, entry.charge_amount)):
                entry.signature = sign(values)
            entry.charge_amount = 0
            entry.save(update_fields=["charge_amount", "signature"])


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("payouts", "0015_refused_but_booked")]

    operations = [
        migrations.RunPython(drop_false_charges, migrations.RunPython.noop),
        AddConstraintOnline(
            model_name="bankentry",
            constraint=models.CheckConstraint(
                condition=models.Q(("charge_amount", 0), WITHIN, GIVEN_BACK, _connector="OR"),
                name="bank_entry_charge",
            ),
        ),
    ]
