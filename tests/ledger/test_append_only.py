"""Rows of the ledger changed by hand, with the database's own language: all of it is refused."""

import pytest
from django.db import IntegrityError, connection, transaction

from core.append_only import active_triggers
from ledger.models import Account, Purpose, Seal, Transfer, UnsealedTransfer
from ledger.sealing import seal_transfers
from ledger.triggers import TRIGGERS
from tests.ledger.funding import NOW, move, opened
from tests.run_environment import ON_POSTGRESQL

pytestmark = pytest.mark.django_db

SEQUENCE = "ledger_transfer_id_seq"
TABLES = (Account, Transfer, UnsealedTransfer, Seal)

REFUSED = [
    "UPDATE ledger_transfer SET amount = 1",
    "UPDATE ledger_transfer SET amount = amount",
    "UPDATE ledger_transfer SET credit_account_id = debit_account_id",
    "DELETE FROM ledger_transfer",
    "DELETE FROM ledger_transfer WHERE amount = 40",
    "UPDATE ledger_seal SET hash = 'x'",
    "UPDATE ledger_seal SET sequence = sequence + 1",
    "DELETE FROM ledger_seal",
    "DELETE FROM ledger_seal WHERE sequence = 2",
    "UPDATE ledger_unsealedtransfer SET amount = 1",
    "DELETE FROM ledger_unsealedtransfer",
    "DELETE FROM ledger_account",
    "UPDATE ledger_account SET owner = 'cus_thief'",
    "UPDATE ledger_account SET purpose = 'funding'",
    "UPDATE ledger_account SET currency = 'USD'",
    "UPDATE ledger_account SET livemode = NOT livemode",
    "UPDATE ledger_account SET exponent = 0",
    "UPDATE ledger_account SET id = id + 1000",
    "INSERT INTO ledger_seal SELECT sequence + 100, hash, sealed_at, NULL FROM ledger_seal",
]
COLUMNS = {
    Account: "id, owner, purpose, currency, livemode, exponent, balance",
    Transfer: "id, transaction_id, kind, reference, amount, currency, livemode, description,"
    " created_at, credit_account_id, debit_account_id",
    UnsealedTransfer: "transfer_id, amount, credit_account_id, debit_account_id",
    Seal: "sequence, hash, sealed_at, transfer_id",
}


@pytest.fixture(autouse=True)
def _sealed_and_waiting() -> None:
    wallet, merchant = opened(Purpose.WALLET, holding=100), opened(Purpose.MERCHANT)
    move(wallet, merchant, 40)
    seal_transfers(now=NOW)
    move(wallet, merchant, 20)
    if ON_POSTGRESQL:  # foreign keys are checked now: a table with checks to come has no TRUNCATE
        execute("SET CONSTRAINTS ALL IMMEDIATE")


def rows() -> list[list[tuple[object, ...]]]:
    return [list(table.objects.order_by("pk").values_list()) for table in TABLES]


def execute(statement: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.mark.parametrize("statement", REFUSED)
def test_it_refuses_to_change_what_stands(statement: str) -> None:
    before = rows()

    with pytest.raises(IntegrityError):
        execute(statement)

    assert rows() == before


@pytest.mark.postgres
@pytest.mark.parametrize("table", TABLES)
def test_it_refuses_to_empty_a_table(table: type[Transfer]) -> None:
    before = rows()

    with pytest.raises(IntegrityError):
        execute(f"TRUNCATE {table._meta.db_table} CASCADE")

    assert rows() == before


@pytest.mark.postgres
@pytest.mark.parametrize("table", TABLES)
def test_it_refuses_to_change_a_row_in_passing(table: type[Transfer]) -> None:
    """ON CONFLICT DO UPDATE is an update, too. Of an account, it may touch the balance only."""
    key = table._meta.pk.column
    column = COLUMNS[table].split(", ")[1]
    before = rows()

    with pytest.raises(IntegrityError):
        execute(
            f"INSERT INTO {table._meta.db_table} ({COLUMNS[table]})"
            f" SELECT {COLUMNS[table]} FROM {table._meta.db_table}"
            f" ON CONFLICT ({key}) DO UPDATE SET {column} = NULL"
        )

    assert rows() == before


@pytest.mark.sqlite
@pytest.mark.parametrize("recursive_triggers", ["ON", "OFF"])
@pytest.mark.parametrize("table", TABLES)
def test_it_refuses_to_replace_a_row(table: type[Transfer], recursive_triggers: str) -> None:
    before = rows()
    name = table._meta.db_table

    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA recursive_triggers={recursive_triggers}")
    try:
        with pytest.raises(IntegrityError):
            execute(
                f"INSERT OR REPLACE INTO {name} ({COLUMNS[table]})"
                f" SELECT {COLUMNS[table]} FROM {name} LIMIT 1"
            )
    finally:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA recursive_triggers=ON")

    assert rows() == before


@pytest.mark.sqlite
def test_it_refuses_to_replace_a_row_under_another_id() -> None:
    """The unique reference would delete the old row as quietly as the id would."""
    before = rows()
    columns = COLUMNS[Transfer].removeprefix("id, ")

    with pytest.raises(IntegrityError):
        execute(
            f"INSERT OR REPLACE INTO ledger_transfer (id, {columns})"
            f" SELECT id + 1000, {columns} FROM ledger_transfer LIMIT 1"
        )

    assert rows() == before


def test_a_transfer_without_an_account_is_refused() -> None:
    with pytest.raises(IntegrityError):
        execute(
            f"INSERT INTO ledger_transfer ({COLUMNS[Transfer]})"
            " SELECT 999, transaction_id, kind, 'ref_new', amount, currency, livemode,"
            " description, created_at, 4711, debit_account_id FROM ledger_transfer LIMIT 1"
        )


@pytest.mark.parametrize(("column", "value"), [("kind", "theft"), ("amount", "0")])
def test_a_transfer_that_makes_no_sense_is_refused(column: str, value: str) -> None:
    columns = COLUMNS[Transfer].removeprefix("id, ")
    values = columns.replace("reference", "'ref_new'").replace(column, f"'{value}'")

    with pytest.raises(IntegrityError):
        execute(
            f"INSERT INTO ledger_transfer (id, {columns})"
            f" SELECT 999, {values} FROM ledger_transfer LIMIT 1"
        )


def test_every_trigger_is_known_by_name() -> None:
    assert active_triggers("ledger") == set(TRIGGERS[connection.vendor])


@pytest.mark.postgres
def test_ids_grow_in_time() -> None:
    """A cache of ids per connection would let a debit have a lower id than its credit."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT seqcache FROM pg_sequence WHERE seqrelid = %s::regclass", [SEQUENCE])
        assert cursor.fetchall() == [(1,)]
