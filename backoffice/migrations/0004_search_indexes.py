"""The indexes that only the back office needs: its search box, its lists, its dashboard.

They stand here and not with the tables, so that each room's models name what the room itself asks.
"""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

BOTH = {
    "office_payment_reference": "payments_payment (LOWER(reference), id) WHERE reference IS NOT NULL",
    "office_payment_order": "payments_payment (LOWER(order_id), id) WHERE order_id IS NOT NULL",
    "office_payment_invoice": (
        "payments_payment (LOWER(invoice_number), id) WHERE invoice_number IS NOT NULL"
    ),
    "office_payment_email": (
        "payments_payment (LOWER(customer_email), id) WHERE customer_email IS NOT NULL"
    ),
    "office_payment_amount": "payments_payment (amount, id)",
    "office_payment_mode": "payments_payment (livemode, id)",
    "office_payment_status": "payments_payment (status, id)",
    "office_payment_completed": (
        "payments_payment (livemode, currency, completed_at, amount) WHERE completed_at IS NOT NULL"
    ),
    "office_payment_failed": (
        "payments_payment (livemode, currency, failed_at) WHERE failed_at IS NOT NULL"
    ),
    "office_payment_expired": (
        "payments_payment (livemode, currency, expired_at) WHERE expired_at IS NOT NULL"
    ),
    "office_payment_canceled": (
        "payments_payment (livemode, currency, canceled_at) WHERE canceled_at IS NOT NULL"
    ),
    "office_customer_email": "customers_customer (LOWER(email)) WHERE email <> ''",
    "office_account_not_wallet": (
        "ledger_account (livemode, currency, purpose) WHERE purpose <> 'wallet'"
    ),
    "office_mail_lost": ("payments_paymentemail (due_at) WHERE status IN ('sending', 'failed')"),
}
POSTGRESQL = {
    "office_customer_ending": "customers_customer (RIGHT(phone, 4))",
    "office_payment_metadata": "payments_payment USING gin (metadata) WHERE NOT (metadata = '{}')",
}


def _indexes(vendor: str) -> dict[str, str]:
    return BOTH | POSTGRESQL if vendor == "postgresql" else BOTH


def make(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    for name, on in _indexes(schema_editor.connection.vendor).items():
        schema_editor.execute(f"CREATE INDEX {name} ON {on}", params=None)


def drop(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    for name in _indexes(schema_editor.connection.vendor):
        schema_editor.execute(f"DROP INDEX {name}", params=None)


class Migration(migrations.Migration):
    dependencies = [
        ("backoffice", "0003_roles"),
        ("customers", "0001_initial"),
        ("ledger", "0001_initial"),
        ("payments", "0001_initial"),
    ]

    operations = [migrations.RunPython(make, drop)]
