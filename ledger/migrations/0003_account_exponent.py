"""Give each account the decimals of its currency, which never change from here on.

Amounts stay as they are: they have always been in the smallest unit. SQLite rebuilds the table, so
its triggers, and the one of the transfers that reads it, go before and come back after.
"""

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from core.append_only import sqlite_refusal
from core.currencies import EXPONENTS, WITHDRAWN

MOST_HAVE = 2
OLD_IDENTITY = ("id", "owner", "purpose", "currency", "livemode")
IDENTITY = (*OLD_IDENTITY, "exponent")


def sqlite_triggers(identity: tuple[str, ...]) -> dict[str, str]:
    old, new = (", ".join(f"{row}.{name}" for name in identity) for row in ("OLD", "NEW"))
    refusals = {
        "account_no_delete": ("DELETE", "ledger_account", "1"),
        "account_no_replace": (
            "INSERT",
            "ledger_account",
            """EXISTS (SELECT 1 FROM ledger_account WHERE id = NEW.id
                OR (owner = NEW.owner AND purpose = NEW.purpose
                    AND currency = NEW.currency AND livemode = NEW.livemode))""",
        ),
        "account_identity": ("UPDATE", "ledger_account", f"({old}) IS NOT ({new})"),
        "transfer_fits_accounts": (
            "INSERT",
            "ledger_transfer",
            """2 <> (SELECT count(*) FROM ledger_account
                WHERE id IN (NEW.debit_account_id, NEW.credit_account_id)
                AND currency = NEW.currency AND livemode = NEW.livemode)""",
        ),
    }
    advice = "write a new transfer instead"
    return {
        name: sqlite_refusal(name, event, table, condition=condition, advice=advice)
        for name, (event, table, condition) in refusals.items()
    }


def postgresql_trigger(identity: tuple[str, ...]) -> str:
    old, new = (", ".join(f"{row}.{name}" for name in identity) for row in ("OLD", "NEW"))
    return f"""
        CREATE TRIGGER account_identity BEFORE UPDATE ON ledger_account FOR EACH ROW
            WHEN (({old}) IS DISTINCT FROM ({new})) EXECUTE FUNCTION ledger_refuse()
    """


def drop_triggers(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP TRIGGER account_identity ON ledger_account")
        return
    for name in sqlite_triggers(IDENTITY):
        schema_editor.execute(f"DROP TRIGGER {name}")


def create_triggers(schema_editor: BaseDatabaseSchemaEditor, identity: tuple[str, ...]) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(postgresql_trigger(identity), params=None)
        return
    for statement in sqlite_triggers(identity).values():
        schema_editor.execute(statement, params=None)


def guard(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    create_triggers(schema_editor, IDENTITY)


def guard_as_before(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    create_triggers(schema_editor, OLD_IDENTITY)


def fill(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Write the exponent of each currency that has not two decimals. Raises KeyError: unknown."""
    accounts = apps.get_model("ledger", "Account").objects
    known = EXPONENTS | WITHDRAWN
    for currency in accounts.order_by().values_list("currency", flat=True).distinct():
        if known[currency] != MOST_HAVE:
            accounts.filter(currency=currency).update(exponent=known[currency])


class Migration(migrations.Migration):
    dependencies = [("ledger", "0002_append_only")]

    operations = [
        migrations.RunPython(drop_triggers, guard_as_before),
        migrations.AddField(
            "account",
            "exponent",
            models.PositiveSmallIntegerField(default=MOST_HAVE),
            preserve_default=False,
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.RunPython(guard, drop_triggers),
    ]
