"""What guards the rows is as the migrations declare it, and whatever differs is named."""

import os

import pytest
from django.core.management import call_command
from django.db import connection

from ledger.log_triggers import EVENTS
from ledger.schema_evidence import check_schema, declared_schema, present_schema
from ledger.signed_row_checks import signed_fields
from tests.run_environment import ON_POSTGRESQL

pytestmark = pytest.mark.django_db

if "DECLARE_SCHEMA" in os.environ:  # after a migration: see docs/contributing.md

    @pytest.fixture(autouse=True, scope="module")
    def _declared(django_db_setup, django_db_blocker) -> None:
        with django_db_blocker.unblock():
            call_command("declare_schema")


def test_the_migrations_make_what_is_declared() -> None:
    assert present_schema() == declared_schema()
    assert list(check_schema()) == []


def test_each_table_of_the_log_notes_what_is_written() -> None:
    """Also after SQLite made the table anew, whatever was declared since."""
    tables = [field.model._meta.db_table for field in signed_fields() if field.in_log]
    noted = [f"trigger {table}.log_{table}_{event}" for table in tables for event in EVENTS]

    assert "trigger customers_customer.log_customers_customer_insert" in noted
    assert set(noted) <= present_schema().keys()


TAMPERINGS = {
    "DROP TRIGGER transfer_append_only ON ledger_transfer": (
        "The trigger ledger_transfer.transfer_append_only is missing."
    ),
    "ALTER TABLE ledger_transfer DISABLE TRIGGER transfer_append_only": (
        "The trigger ledger_transfer.transfer_append_only was changed."
    ),
    "CREATE TRIGGER transfer_append_only BEFORE UPDATE ON core_quota"
    " EXECUTE FUNCTION ledger_refuse()": (
        "The trigger core_quota.transfer_append_only is in no migration."
    ),
    "CREATE OR REPLACE FUNCTION ledger_refuse() RETURNS trigger LANGUAGE plpgsql AS"
    " $$ BEGIN RETURN NEW; END $$": "The function ledger_refuse() was changed.",
    "ALTER TABLE ledger_account DROP CONSTRAINT account_not_below_zero": (
        "The constraint ledger_account.account_not_below_zero is missing."
    ),
    "ALTER TABLE ledger_transfer DROP CONSTRAINT transfer_amount_positive,"
    " ADD CONSTRAINT transfer_amount_positive CHECK (amount > -1000000)": (
        "The constraint ledger_transfer.transfer_amount_positive was changed."
    ),
    "DROP INDEX bank_account_one_open": (
        "The unique index payouts_bankaccount.bank_account_one_open is missing."
    ),
    "CREATE RULE swallowed AS ON INSERT TO ledger_waitingentry DO INSTEAD NOTHING": (
        "The rule ledger_waitingentry.swallowed is in no migration."
    ),
    "ALTER TABLE merchants_merchant ALTER fee_basis_points SET DEFAULT 0": (
        "The table merchants_merchant was changed."
    ),
    "ALTER TABLE payouts_bankaccount ALTER holder_name DROP NOT NULL": (
        "The table payouts_bankaccount was changed."
    ),
    "ALTER TABLE ledger_transfer ENABLE ROW LEVEL SECURITY": (
        "The table ledger_transfer was changed."
    ),
    "ALTER TABLE ledger_logleaf SET UNLOGGED": "The table ledger_logleaf was changed.",
    "CREATE TABLE more () INHERITS (ledger_seal)": "The table ledger_seal was changed.",
    "ALTER TABLE customers_customer RENAME TO aside;"
    " CREATE VIEW customers_customer AS SELECT * FROM aside": (
        "The table customers_customer was changed."
    ),
    "CREATE TRIGGER let_in AFTER INSERT ON django_session FOR EACH ROW"
    " EXECUTE FUNCTION ledger_log()": "The trigger django_session.let_in is in no migration.",
    "CREATE RULE twice AS ON INSERT TO auth_user DO ALSO NOTHING": (
        "The rule auth_user.twice is in no migration."
    ),
    "CREATE POLICY seen ON ledger_transfer USING (false)": (
        "The policy ledger_transfer.seen is in no migration."
    ),
    "CREATE FUNCTION bless() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN END $$;"
    " CREATE EVENT TRIGGER bless ON ddl_command_end EXECUTE FUNCTION bless()": (
        "The event trigger bless is in no migration."
    ),
    "CREATE TEMPORARY TABLE ledger_account (id bigint)": (
        "The table ledger_account is hidden by another of its name."
    ),
    "CREATE SCHEMA shadow; SET search_path = shadow, public": (
        "The table ledger_transfer is missing."
    ),
    "ALTER TABLE ledger_unsealedtransfer DISABLE TRIGGER ALL": "ledger_unsealedtransfer",
    "SET session_replication_role = replica": (
        "session_replication_role is replica: no trigger fires."
    ),
    "ALTER ROLE postgres SET session_replication_role = replica": (
        "session_replication_role is set for postgres: no trigger may fire."
    ),
}


@pytest.mark.postgres
@pytest.mark.parametrize("statement", TAMPERINGS)
def test_what_was_changed_on_postgresql_is_named(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        found = list(check_schema())
        cursor.execute("SET session_replication_role = DEFAULT")

    assert any(TAMPERINGS[statement] in each for each in found), found


@pytest.mark.sqlite
@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (
            "DROP TRIGGER transfer_no_update",
            "The trigger ledger_transfer.transfer_no_update is missing.",
        ),
        (
            "CREATE TRIGGER other AFTER INSERT ON ledger_transfer BEGIN SELECT 1; END",
            "The trigger ledger_transfer.other is in no migration.",
        ),
        (
            "DROP INDEX bank_account_one_open",
            "The index payouts_bankaccount.bank_account_one_open is missing.",
        ),
    ],
)
def test_what_was_changed_on_sqlite_is_named(statement: str, said: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)

    assert list(check_schema()) == [said]


def test_postgresql_is_meant_where_it_runs() -> None:
    assert connection.vendor == ("postgresql" if ON_POSTGRESQL else "sqlite")
