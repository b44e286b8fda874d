"""After a restore the log goes on where the backup ends, without a gap, and says so."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.models import F
from pytest_django import Settings

from core.log_receipts import head_of
from core.signed_notes import NoteSigner
from ledger.checkpoints import newest_checkpoint, sign_head, verifiers
from ledger.log_tree import append_leaves, log_size
from ledger.logging_rows import row_leaf
from ledger.models import Account, LogLeaf, Purpose, Seal, Transfer, WaitingEntry, WitnessState
from ledger.sealing import hold_chain, seal_transfers
from ledger.witnesses import inform_witnesses
from tests.ledger.command import verify
from tests.ledger.funding import NOW, fund, opened
from tests.ledger.thief import all_rights

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.CHECKPOINT_WITNESSES = [f"file://{tmp_path}"]
    return tmp_path


def grow() -> None:
    fund(opened(Purpose.MERCHANT), 10)
    seal_transfers(now=NOW)
    sign_head(now=NOW)
    inform_witnesses(now=NOW)


def lose_the_last() -> None:
    """Put the database back to before the last `grow`, as a backup does that is older than it."""
    size, last = log_size() - 1, Transfer.objects.latest("pk")
    with all_rights(), connection.cursor() as cursor:
        cursor.execute(f'DELETE FROM ledger_logleaf WHERE "index" >= {size}')
        cursor.execute(f"DELETE FROM ledger_checkpoint WHERE size > {size}")
        cursor.execute(f"DELETE FROM ledger_seal WHERE transfer_id = {last.pk}")
        cursor.execute(f"DELETE FROM ledger_transfer WHERE id = {last.pk}")
        for pk, amount in ((last.credit_account_id, -10), (last.debit_account_id, 10)):
            Account.objects.filter(pk=pk).update(balance=F("balance") + amount)
    WitnessState.objects.update(size=size)


def restored() -> str:
    printed = StringIO()
    call_command("restored", stdout=printed)
    return printed.getvalue()


def test_it_goes_on_at_the_next_leaf_where_nothing_was_lost(folder: Path) -> None:
    grow()
    grow()
    before = newest_checkpoint()

    assert "The log continues: its leaf 3 says that the database was restored." in restored()

    grow()
    kinds = list(LogLeaf.objects.order_by("index").values_list("kind", flat=True))
    assert kinds == ["opening", "ledger_transfer", "ledger_transfer", "restored", "ledger_transfer"]
    assert list(LogLeaf.objects.order_by("index").values_list("index", flat=True)) == [*range(5)]
    assert verify()[0] == 0
    assert WitnessState.objects.get().problem == ""
    assert before is not None
    assert head_of((folder / f"{before.size:018}.checkpoint").read_text(), verifiers()).size == 3


def test_it_names_what_was_lost_until_the_log_has_another_name(
    folder: Path, settings: Settings
) -> None:
    grow()
    grow()
    lose_the_last()

    assert f"Lost since the backup: Checkpoint of witness file://{folder}: 3 is not" in restored()
    assert Seal.objects.latest("sequence").sequence == 1
    grow()
    assert "is not of this log" in verify()[1]

    other = folder / "2"
    other.mkdir()
    settings.CHECKPOINT_WITNESSES = [f"file://{other}"]
    signer = NoteSigner.generate("testserver/ledger-2")
    settings.CHECKPOINT_KEY = f"{signer},{settings.CHECKPOINT_KEY}"
    grow()

    assert verify()[0] == 0
    newest = newest_checkpoint()
    assert newest is not None
    assert newest.note.startswith("testserver/ledger-2\n5\n")
    assert len(list(other.iterdir())) == 3


def test_a_backup_that_was_rewritten_is_not_taken_for_one_that_is_older() -> None:
    grow()
    grow()
    lose_the_last()
    with all_rights():
        LogLeaf.objects.filter(index=1).update(hash=b"x" * 32)

    with pytest.raises(CommandError, match=r": 2 is not of this log: what it covers was") as raised:
        restored()
    assert "3 is not" not in str(raised.value)


def test_a_forged_restore_is_named() -> None:
    grow()
    restored()
    with all_rights(), connection.cursor() as cursor:
        cursor.execute("UPDATE ledger_logleaf SET subject = '9' WHERE kind = 'restored'")

    assert verify() == (1, "restored 9 or its leaf 2 was changed.")


def test_a_restore_that_the_service_did_not_note_is_named() -> None:
    """A thief who can write to the log adds a leaf with its hash, but can't sign it."""
    grow()
    append_leaves([row_leaf(WaitingEntry(kind="restored", subject="2", signature="x"))], now=NOW)

    said = "Leaf 2 says that the database was restored; the service did not."
    assert verify() == (1, said)


def test_an_empty_log_says_nothing() -> None:
    assert "The log goes on" not in restored()
    with transaction.atomic():
        assert hold_chain(NOW) is not None
