"""Write down what the bank was told in earlier batches, under the references used then."""

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from core import crypto

CHUNK = 500


def write_orders(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    batch = apps.get_model("payouts", "PayoutBatch")
    for batch_id in batch.objects.values_list("pk", flat=True):
        batch.objects.filter(pk=batch_id).update(message_id=batch_id.replace("_", "-"))
    payout, order = (apps.get_model("payouts", name) for name in ("Payout", "PayoutOrder"))
    sent = payout.objects.exclude(batch=None).select_related("bank_account").order_by("pk")
    orders = [
        order(
            payout=row,
            batch_id=row.batch_id,
            end_to_end_id=row.pk.replace("_", "-"),
            amount=row.amount,
            holder_name=row.bank_account.holder_name,
            bank_name=row.bank_account.bank_name,
            bic=row.bank_account.bic,
            clearing_code=row.bank_account.clearing_code,
            encrypted_number=crypto.encrypt(f"{row.pk} {_number(row.bank_account)}"),
            description=row.description,
        )
        for row in sent.iterator(chunk_size=CHUNK)
    ]
    order.objects.bulk_create(orders, batch_size=CHUNK)


def _number(bank_account) -> str:
    return crypto.decrypt(bank_account.encrypted_number).partition(" ")[2]


class Migration(migrations.Migration):
    dependencies = [("payouts", "0003_orders_as_sent")]

    operations = [migrations.RunPython(write_orders, migrations.RunPython.noop, elidable=True)]
