"""What constraints cannot say: rows that are never changed, and transfers that fit their accounts.

A later migration that makes SQLite rebuild one of these tables loses its triggers and must create
them again; `verify_ledger` names a trigger that is missing or switched off.
"""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

POSTGRESQL = [
    """
    CREATE FUNCTION ledger_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION '% of % is refused: write a new transfer instead', TG_OP, TG_TABLE_NAME
            USING ERRCODE = 'integrity_constraint_violation';
    END $$
    """,
    """
    CREATE TRIGGER transfer_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_transfer
        EXECUTE FUNCTION ledger_refuse()
    """,
    """
    CREATE TRIGGER seal_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_seal
        EXECUTE FUNCTION ledger_refuse()
    """,
    """
    CREATE TRIGGER account_kept BEFORE DELETE OR TRUNCATE ON ledger_account
        EXECUTE FUNCTION ledger_refuse()
    """,
    """
    CREATE TRIGGER account_identity BEFORE UPDATE ON ledger_account FOR EACH ROW
        WHEN ((OLD.id, OLD.owner, OLD.purpose, OLD.currency, OLD.livemode)
            IS DISTINCT FROM (NEW.id, NEW.owner, NEW.purpose, NEW.currency, NEW.livemode))
        EXECUTE FUNCTION ledger_refuse()
    """,
    """
    CREATE TRIGGER unsealed_unchanged BEFORE UPDATE OR TRUNCATE ON ledger_unsealedtransfer
        EXECUTE FUNCTION ledger_refuse()
    """,
    """
    CREATE FUNCTION ledger_refuse_unless_sealed() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF EXISTS (SELECT FROM ledger_seal WHERE transfer_id = OLD.transfer_id) THEN
            RETURN OLD;
        END IF;
        RAISE EXCEPTION 'transfer % has no seal yet', OLD.transfer_id
            USING ERRCODE = 'integrity_constraint_violation';
    END $$
    """,
    """
    CREATE TRIGGER unsealed_until_sealed BEFORE DELETE ON ledger_unsealedtransfer FOR EACH ROW
        EXECUTE FUNCTION ledger_refuse_unless_sealed()
    """,
    """
    CREATE FUNCTION ledger_check_accounts() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF 2 = (SELECT count(*) FROM ledger_account
                WHERE id IN (NEW.debit_account_id, NEW.credit_account_id)
                AND currency = NEW.currency AND livemode = NEW.livemode) THEN
            RETURN NEW;
        END IF;
        RAISE EXCEPTION 'a transfer stays within one currency and one mode'
            USING ERRCODE = 'integrity_constraint_violation';
    END $$
    """,
    """
    CREATE TRIGGER transfer_fits_accounts BEFORE INSERT ON ledger_transfer FOR EACH ROW
        EXECUTE FUNCTION ledger_check_accounts()
    """,
]

POSTGRESQL_BACK = [
    "DROP TRIGGER transfer_fits_accounts ON ledger_transfer",
    "DROP TRIGGER transfer_append_only ON ledger_transfer",
    "DROP TRIGGER seal_append_only ON ledger_seal",
    "DROP TRIGGER account_kept ON ledger_account",
    "DROP TRIGGER account_identity ON ledger_account",
    "DROP TRIGGER unsealed_unchanged ON ledger_unsealedtransfer",
    "DROP TRIGGER unsealed_until_sealed ON ledger_unsealedtransfer",
    "DROP FUNCTION ledger_refuse()",
    "DROP FUNCTION ledger_refuse_unless_sealed()",
    "DROP FUNCTION ledger_check_accounts()",
]


def refuse(name: str, event: str, table: str, condition: str = "1") -> str:
    """Return a trigger of SQLite that refuses `event` where the condition holds."""
    return f"""
    CREATE TRIGGER {name} BEFORE {event} ON {table} FOR EACH ROW WHEN {condition}
    BEGIN
        SELECT RAISE(ABORT, '{name}: write a new transfer instead');
    END
    """


# INSERT OR REPLACE deletes without asking a delete trigger, unless recursive_triggers is on: so a
# row that would take the place of another is refused before it comes to that.
SQLITE = {
    "transfer_no_update": refuse("transfer_no_update", "UPDATE", "ledger_transfer"),
    "transfer_no_delete": refuse("transfer_no_delete", "DELETE", "ledger_transfer"),
    "transfer_no_replace": refuse(
        "transfer_no_replace",
        "INSERT",
        "ledger_transfer",
        """EXISTS (SELECT 1 FROM ledger_transfer WHERE id = NEW.id
            OR (reference = NEW.reference AND kind = NEW.kind))""",
    ),
    "transfer_fits_accounts": refuse(
        "transfer_fits_accounts",
        "INSERT",
        "ledger_transfer",
        """2 <> (SELECT count(*) FROM ledger_account
            WHERE id IN (NEW.debit_account_id, NEW.credit_account_id)
            AND currency = NEW.currency AND livemode = NEW.livemode)""",
    ),
    "seal_no_update": refuse("seal_no_update", "UPDATE", "ledger_seal"),
    "seal_no_delete": refuse("seal_no_delete", "DELETE", "ledger_seal"),
    "seal_no_replace": refuse(
        "seal_no_replace",
        "INSERT",
        "ledger_seal",
        """EXISTS (SELECT 1 FROM ledger_seal WHERE sequence = NEW.sequence
            OR transfer_id = NEW.transfer_id)""",
    ),
    "account_no_delete": refuse("account_no_delete", "DELETE", "ledger_account"),
    "account_no_replace": refuse(
        "account_no_replace",
        "INSERT",
        "ledger_account",
        """EXISTS (SELECT 1 FROM ledger_account WHERE id = NEW.id
            OR (owner = NEW.owner AND purpose = NEW.purpose
                AND currency = NEW.currency AND livemode = NEW.livemode))""",
    ),
    "account_identity": refuse(
        "account_identity",
        "UPDATE",
        "ledger_account",
        """(OLD.id, OLD.owner, OLD.purpose, OLD.currency, OLD.livemode)
            IS NOT (NEW.id, NEW.owner, NEW.purpose, NEW.currency, NEW.livemode)""",
    ),
    "unsealed_no_update": refuse("unsealed_no_update", "UPDATE", "ledger_unsealedtransfer"),
    "unsealed_no_replace": refuse(
        "unsealed_no_replace",
        "INSERT",
        "ledger_unsealedtransfer",
        """EXISTS (SELECT 1 FROM ledger_unsealedtransfer
            WHERE transfer_id = NEW.transfer_id)""",
    ),
    "unsealed_until_sealed": refuse(
        "unsealed_until_sealed",
        "DELETE",
        "ledger_unsealedtransfer",
        "NOT EXISTS (SELECT 1 FROM ledger_seal WHERE transfer_id = OLD.transfer_id)",
    ),
}
SQLITE_BACK = [f"DROP TRIGGER {name}" for name in SQLITE]


def protect(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    on_postgresql = schema_editor.connection.vendor == "postgresql"
    for statement in POSTGRESQL if on_postgresql else SQLITE.values():
        schema_editor.execute(statement, params=None)


def unprotect(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    on_postgresql = schema_editor.connection.vendor == "postgresql"
    for statement in POSTGRESQL_BACK if on_postgresql else SQLITE_BACK:
        schema_editor.execute(statement, params=None)


class Migration(migrations.Migration):
    dependencies = [("ledger", "0001_initial")]

    operations = [migrations.RunPython(protect, unprotect)]
