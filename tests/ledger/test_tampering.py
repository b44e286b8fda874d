"""A thief with all rights on the database, past every trigger: verify names the row."""

import pytest
from django.db import connection

from ledger.chain import SEALED_FIELDS, seal_hash
from ledger.models import Account, LogLeaf, Purpose, Seal, Transfer, TransferKind, UnsealedTransfer
from ledger.sealing import seal_transfers
from tests.ledger.command import verify
from tests.ledger.funding import NOW, fund, move, opened
from tests.ledger.thief import QUEUE, all_rights, insert_transfer, tamper
from tests.run_environment import ON_POSTGRESQL
from tests.shared_rows import check_foreign_keys_now

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("undone")]


@pytest.fixture(autouse=True)
def _ledger() -> None:
    """Three transfers that are sealed, and one that waits."""
    wallet, merchant = opened(Purpose.WALLET, "cus_1", holding=500), opened(Purpose.MERCHANT)
    move(wallet, merchant, 300)
    move(merchant, opened(Purpose.FEES), 20, TransferKind.FEE)
    seal_transfers(now=NOW)
    move(merchant, wallet, 100, TransferKind.REFUND)
    check_foreign_keys_now()
    assert verify()[0] == 0


def account(purpose: Purpose) -> Account:
    return Account.objects.get(purpose=purpose)


ANYTHING_ELSE = {
    "transaction_id": "'txn_x'",
    "kind": "'adjustment'",
    "reference": "'ref_x'",
    "amount": "301",
    "currency": "'USD'",
    "livemode": "NOT livemode",
    "description": "'a gift'",
    "created_at": "'2026-03-04 05:06:07.089001+00:00'",
    "debit_account_id": "credit_account_id + 1000",
    "credit_account_id": "debit_account_id + 1000",
}


def test_every_column_that_is_sealed_is_tampered_with() -> None:
    columns = {field.column for field in Transfer._meta.concrete_fields}
    assert columns == {"id", "signature", *ANYTHING_ELSE}


@pytest.mark.parametrize("column", ANYTHING_ELSE)
def test_a_sealed_transfer_is_changed(column: str) -> None:
    value = ANYTHING_ELSE[column]

    assert tamper(f"UPDATE ledger_transfer SET {column} = {value} WHERE amount = 300") == (
        1,
        f"Transfer {Transfer.objects.order_by('id')[1].pk} or its seal 2 was changed.",
    )


@pytest.mark.parametrize("change", ["owner = 'cus_thief'", "purpose = 'bank'", "currency = 'USD'"])
def test_an_account_is_handed_over(change: str) -> None:
    first = Transfer.objects.get(credit_account__owner="cus_1", kind=TransferKind.TOP_UP).pk

    assert tamper(f"UPDATE ledger_account SET {change} WHERE owner = 'cus_1'") == (
        1,
        f"Transfer {first} or its seal 1 was changed.",
    )


@pytest.mark.parametrize(
    "change",
    [f"hash = '{'a' * 64}'", "sealed_at = '2026-03-04 05:06:07.089001+00:00'"],
)
def test_a_seal_is_changed(change: str) -> None:
    transfer = Seal.objects.get(sequence=2).transfer_id

    assert tamper(f"UPDATE ledger_seal SET {change} WHERE sequence = 2") == (
        1,
        f"Transfer {transfer} or its seal 2 was changed.",
    )


def test_the_first_seal_is_changed() -> None:
    assert tamper("UPDATE ledger_seal SET hash = 'a' WHERE sequence = 0") == (
        1,
        "Seal 0 was changed.",
    )


@pytest.mark.parametrize("sequence", [0, 1, 2])
def test_a_seal_is_removed(sequence: int) -> None:
    assert tamper(f"DELETE FROM ledger_seal WHERE sequence = {sequence}") == (
        1,
        f"Seal {sequence} is missing.",
    )


def test_the_last_seal_is_removed() -> None:
    transfer = Seal.objects.get(sequence=3).transfer_id

    assert tamper("DELETE FROM ledger_seal WHERE sequence = 3") == (
        1,
        f"Transfer {transfer} is neither sealed nor waiting for its seal.",
    )


def test_a_sealed_transfer_is_removed() -> None:
    transfer = Seal.objects.get(sequence=2).transfer_id

    assert tamper(f"DELETE FROM ledger_transfer WHERE id = {transfer}") == (
        1,
        f"Transfer {transfer} is missing; seal 2 holds it.",
    )


def test_a_waiting_transfer_is_removed() -> None:
    transfer = UnsealedTransfer.objects.get().pk

    assert tamper(f"DELETE FROM ledger_transfer WHERE id = {transfer}") == (
        1,
        f"Transfer {transfer} waits for its seal with other values than its own.",
    )


def test_a_waiting_transfer_is_forgotten() -> None:
    transfer = UnsealedTransfer.objects.get().pk

    assert tamper("DELETE FROM ledger_unsealedtransfer") == (
        1,
        f"Transfer {transfer} is neither sealed nor waiting for its seal.",
    )


def test_a_waiting_transfer_counts_for_more_than_it_is() -> None:
    transfer = UnsealedTransfer.objects.get().pk

    assert tamper("UPDATE ledger_unsealedtransfer SET amount = 1") == (
        1,
        f"Transfer {transfer} waits for its seal with other values than its own.",
    )


def test_a_sealed_transfer_is_made_to_wait_again() -> None:
    transfer = Transfer.objects.get(kind=TransferKind.TOP_UP)

    assert tamper(
        "INSERT INTO ledger_unsealedtransfer"
        " (transfer_id, debit_account_id, credit_account_id, amount)"
        f" VALUES ({transfer.pk}, {transfer.debit_account_id}, {transfer.credit_account_id}, 500)"
    ) == (1, f"Transfer {transfer.pk} is sealed and counted as waiting, too.")


def test_a_transfer_is_inserted_without_posting() -> None:
    assert tamper(insert_transfer({})) == (
        1,
        "Transfer 999 is neither sealed nor waiting for its seal.",
    )


def test_a_transfer_is_inserted_and_queued_without_touching_the_wallet() -> None:
    with all_rights(), connection.cursor() as cursor:
        cursor.execute(insert_transfer({}))
        cursor.execute(QUEUE)
    wallet = account(Purpose.WALLET)

    wrong = f"Account {wallet.pk} (cus_1 wallet BSD test) has balance 300; its transfers make 800."
    assert verify() == (1, wrong)
    seal_transfers(now=NOW)
    assert verify() == (1, wrong)


def test_a_transfer_across_modes_is_inserted() -> None:
    other = opened(Purpose.WALLET, "cus_2", livemode=True)
    with all_rights(), connection.cursor() as cursor:
        cursor.execute(insert_transfer({"credit_account_id": other.pk}))
        cursor.execute(QUEUE)

    assert verify() == (1, "Transfer 999 is of another currency or mode than its credit_account.")


@pytest.mark.parametrize("purpose", [Purpose.WALLET, Purpose.MERCHANT, Purpose.FUNDING])
def test_a_balance_is_changed(purpose: Purpose) -> None:
    changed = account(purpose)

    code, printed = tamper(
        f"UPDATE ledger_account SET balance = balance + 1000 WHERE id = {changed.pk}"
    )

    assert (code, printed) == (
        1,
        f"Account {changed.pk} ({changed.owner} {purpose} BSD test) has balance"
        f" {changed.balance + 1000}; its transfers make {changed.balance}.",
    )


def test_a_merchant_was_overdrawn_and_has_put_it_back() -> None:
    """Posted past every check, sealed in one go: in the end nothing is missing, but on the way."""
    merchant, fees = opened(Purpose.MERCHANT, "mer_2"), account(Purpose.FEES)
    for debit, credit, reference in ((merchant, fees, "ref_x"), (fees, merchant, "ref_y")):
        transfer = Transfer.objects.create(
            transaction_id="txn_x",
            kind=TransferKind.ADJUSTMENT,
            reference=reference,
            debit_account=debit,
            credit_account=credit,
            amount=70,
            currency="BSD",
            livemode=False,
            created_at=NOW,
        )
        UnsealedTransfer.objects.create(
            transfer=transfer, debit_account=debit, credit_account=credit, amount=70
        )
    seal_transfers(now=NOW)

    assert verify() == (
        1,
        f"Account {merchant.pk} (mer_2 merchant BSD test) was below zero at seal 5.",
    )


@pytest.mark.parametrize(("refunded", "left"), [(999, -719), (281, -1)])
def test_a_merchant_is_overdrawn_right_now(refunded: int, left: int) -> None:
    """300 were paid and 20 of them are fees: a single cent too much is named, too."""
    with all_rights(), connection.cursor() as cursor:
        cursor.execute(f"UPDATE ledger_transfer SET amount = {refunded} WHERE kind = 'refund'")
        cursor.execute(f"UPDATE ledger_unsealedtransfer SET amount = {refunded}")
        cursor.execute(
            f"UPDATE ledger_account SET balance = 200 + {refunded} WHERE owner = 'cus_1'"
        )
    merchant = account(Purpose.MERCHANT)

    assert verify() == (
        1,
        f"Account {merchant.pk} (merchant_1 merchant BSD test) is below zero: {left}.",
    )


def test_the_whole_chain_is_computed_anew() -> None:
    """Consistent in itself, but no one else can sign: it needs no seal noted elsewhere."""
    noted = Seal.objects.get(sequence=2)
    forged = Transfer.objects.get(kind=TransferKind.TOP_UP)
    with all_rights(), connection.cursor() as cursor:
        cursor.execute("UPDATE ledger_transfer SET amount = 5000 WHERE kind = 'top_up'")
        cursor.execute("UPDATE ledger_account SET balance = 4800 WHERE owner = 'cus_1'")
        cursor.execute("UPDATE ledger_account SET balance = -5000 WHERE purpose = 'funding'")
        forge_chain()

    said = f"Transfer {forged.pk} was not written by the service, or was changed."
    assert verify() == (1, said)
    assert verify("--anchor", f"2:{noted.hash}") == (1, "Seal 2 is not the one that was noted.")


def forge_chain() -> None:
    seals = Seal.objects.order_by("sequence")
    previous = seals[0].hash
    for sequence, sealed_at, *fields in seals.filter(sequence__gt=0).values_list(
        "sequence", "sealed_at", *SEALED_FIELDS
    ):
        previous = seal_hash(previous, sequence=sequence, sealed_at=sealed_at, fields=fields)
        seals.filter(sequence=sequence).update(hash=previous)


def test_the_end_of_the_chain_is_cut_off() -> None:
    """The chain that is left is right: the log still holds what is gone."""
    fund(account(Purpose.WALLET), 50)
    seal_transfers(now=NOW)
    noted = Seal.objects.latest("sequence")
    with all_rights(), connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM ledger_seal WHERE sequence = {noted.sequence}")
        cursor.execute(f"DELETE FROM ledger_transfer WHERE id = {noted.transfer_id}")
        cursor.execute("UPDATE ledger_account SET balance = balance - 50 WHERE owner = 'cus_1'")
        cursor.execute("UPDATE ledger_account SET balance = balance + 50 WHERE owner = 'house'")

    leaf = LogLeaf.objects.latest("index").index
    assert verify() == (1, f"Transfer {noted.transfer_id} is missing; leaf {leaf} holds it.")
    assert verify("--anchor", f"{noted.sequence}:{noted.hash}")[0] == 1


def test_a_trigger_is_missing() -> None:
    with connection.cursor() as cursor:
        if ON_POSTGRESQL:
            cursor.execute("ALTER TABLE ledger_transfer DISABLE TRIGGER transfer_append_only")
            found = verify()
            cursor.execute("ALTER TABLE ledger_transfer ENABLE TRIGGER transfer_append_only")
            assert found == (1, "Trigger transfer_append_only is missing or switched off.")
        else:
            cursor.execute("SELECT sql FROM sqlite_master WHERE name = 'transfer_no_delete'")
            ((statement,),) = cursor.fetchall()
            cursor.execute("DROP TRIGGER transfer_no_delete")
            found = verify()
            cursor.execute(statement)
            assert found == (1, "Trigger transfer_no_delete is missing or switched off.")
    assert verify()[0] == 0
