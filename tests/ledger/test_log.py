"""The log: what is signed becomes a leaf, in order, and every head covers it."""

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from core import merkle
from core.signatures import AT_UPGRADE, sign
from ledger import log_checks, log_tree, signing_past
from ledger.log_checks import check_subtrees
from ledger.log_entries import TRANSFER, TRANSFER_ENTRY, row_entry, transfer_entry
from ledger.log_tree import log_root, log_size
from ledger.models import LogLeaf, LogSubtree, Proof, Purpose, Transfer, WaitingEntry
from ledger.proof_marks import ProvenUpTo
from ledger.proving import prove_if_due
from ledger.sealing import log_rows, seal_transfers
from ledger.tasks import sign_checkpoint
from tests.factories import MerchantFactory
from tests.ledger.command import verify
from tests.ledger.funding import NOW, fund, move, opened
from tests.ledger.thief import all_rights
from tests.ledger.unsigned import forget_signatures

pytestmark = pytest.mark.django_db(transaction=True)


def test_it_begins_with_the_chain_and_holds_each_transfer() -> None:
    wallet, merchant = opened(Purpose.WALLET, holding=500), opened(Purpose.MERCHANT)
    move(wallet, merchant, 300)

    seal_transfers(now=NOW)

    leaves = list(LogLeaf.objects.order_by("index"))
    assert [leaf.kind for leaf in leaves] == ["opening", TRANSFER, TRANSFER]
    assert [leaf.index for leaf in leaves] == [0, 1, 2]
    row = Transfer.objects.values_list(*TRANSFER_ENTRY).get(kind="payment")
    entry = transfer_entry(row, leaves[2].signature)
    assert bytes(leaves[2].hash) == merkle.leaf_hash(entry)
    assert b'"amount":300' in entry
    assert log_size() == 3
    assert verify()[0] == 0


def test_a_row_enters_it_with_each_signature() -> None:
    merchant = MerchantFactory.create()
    merchant.fee_basis_points = 250
    merchant.save(update_fields=["fee_basis_points"])
    seal_transfers(now=NOW)

    assert log_rows(now=NOW) == 2

    first, second = LogLeaf.objects.filter(subject=merchant.id).order_by("index")
    assert (first.kind, second.kind) == ("merchants_merchant", "merchants_merchant")
    assert first.signature != second.signature == merchant.signature
    assert not WaitingEntry.objects.exists()
    assert verify()[0] == 0


def test_what_waits_enters_it_so_much_at_a_time_and_none_is_lost() -> None:
    merchants = [MerchantFactory.create().id for _ in range(3)]
    seal_transfers(now=NOW)

    assert [log_rows(now=NOW, limit=2) for _ in range(3)] == [2, 1, 0]

    logged = LogLeaf.objects.filter(kind="merchants_merchant").order_by("index")
    assert list(logged.values_list("subject", flat=True)) == merchants
    assert verify()[0] == 0


def test_nothing_is_signed_without_a_key(settings: Settings) -> None:
    settings.LEDGER_KEY = ""

    with pytest.raises(ImproperlyConfigured):
        sign(["a", 1])


def test_its_roots_follow_from_stored_subtrees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_tree, "TIER_LEVELS", 1)
    monkeypatch.setattr(log_tree, "TIER_WIDTH", 2)
    merchant = opened(Purpose.MERCHANT)
    for _ in range(5):
        fund(merchant, 10)
        seal_transfers(now=NOW)
    hashes = [
        bytes(digest) for digest in LogLeaf.objects.order_by("index").values_list("hash", flat=True)
    ]

    def node(level: int, position: int) -> bytes:
        return merkle.fold(hashes[position << level : (position + 1) << level])

    assert LogSubtree.objects.count() == 4
    assert [log_root(size) for size in range(7)] == [merkle.root(size, node) for size in range(7)]


def test_each_minute_signs_a_head_and_hands_it_over(settings: Settings, tmp_path: Path) -> None:
    settings.CHECKPOINT_WITNESSES = [f"file://{tmp_path}"]
    fund(opened(Purpose.MERCHANT), 10)
    seal_transfers(now=NOW)

    sign_checkpoint()

    assert [file.name for file in tmp_path.iterdir()] == ["000000000000000002.checkpoint"]


def test_a_subtree_that_is_not_of_its_leaves_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_tree, "TIER_LEVELS", 1)
    monkeypatch.setattr(log_tree, "TIER_WIDTH", 2)
    monkeypatch.setattr(log_checks, "TIER_WIDTH", 2)
    monkeypatch.setattr(log_checks, "LEAVES_AT_ONCE", 4)
    for _ in range(5):
        fund(opened(Purpose.MERCHANT), 10)
        seal_transfers(now=NOW)
    assert [*check_subtrees()] == [ProvenUpTo("4"), ProvenUpTo("6")]

    with all_rights():
        next_one = LogSubtree.objects.get(tier=1, position=2)
        LogSubtree.objects.filter(tier=1, position=1).update(hash=next_one.hash)
        next_one.delete()

    assert [*check_subtrees()] == [
        "Subtree 1/1 of the log is not that of its leaves.",
        "Subtree 2/0 of the log is not that of its leaves.",
        ProvenUpTo("4"),
        "Subtree 1/2 of the log is not that of its leaves.",
        ProvenUpTo("6"),
    ]


def test_subtrees_that_are_right_are_computed_from_one_read_of_what_is_below(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(log_tree, "TIER_LEVELS", 1)
    for module in (log_tree, log_checks):
        monkeypatch.setattr(module, "TIER_WIDTH", 2)
    monkeypatch.setattr(log_checks, "TIERS", 1)
    monkeypatch.setattr(log_checks, "LEAVES_AT_ONCE", 4)
    for _ in range(7):
        fund(opened(Purpose.MERCHANT), 10)
        seal_transfers(now=NOW)

    with CaptureQueriesContext(connection) as statements:
        assert [*check_subtrees()] == [ProvenUpTo("4"), ProvenUpTo("8")]

    # How large the log is, and of each part the subtrees and their leaves.
    assert len(statements) == 1 + 2 * 2


def test_what_was_there_before_is_signed_once_by_a_command() -> None:
    """A ledger of the version before: transfers without signatures, sealed without a log."""
    merchant = MerchantFactory.create()
    wallet = opened(Purpose.WALLET, holding=500)
    move(wallet, opened(Purpose.MERCHANT), 300)
    seal_transfers(now=NOW)
    move(wallet, opened(Purpose.MERCHANT), 100)
    forget_signatures()
    assert verify() == (
        1,
        "The log has not begun: `manage.py sign_ledger` signs what was there before it.",
    )

    call_command("sign_ledger")

    assert verify()[0] == 0
    seal_transfers(now=NOW)
    log_rows(now=NOW)
    assert verify()[0] == 0
    assert all(f":{AT_UPGRADE}:" in leaf.signature for leaf in LogLeaf.objects.filter(index__gt=0))
    assert LogLeaf.objects.filter(subject=merchant.id).exists()
    assert LogLeaf.objects.filter(kind=TRANSFER).count() == 3


def test_before_that_command_a_proof_of_what_is_new_names_no_row() -> None:
    MerchantFactory.create_batch(2)
    forget_signatures()

    assert prove_if_due(now=NOW) is False

    begins = "The log has not begun: `manage.py sign_ledger` signs what was there before it."
    assert Proof.objects.get().problem == begins


def test_what_was_sealed_before_that_command_has_a_leaf_by_it() -> None:
    wallet = opened(Purpose.WALLET, holding=500)
    seal_transfers(now=NOW)
    forget_signatures()
    move(wallet, opened(Purpose.MERCHANT), 100)
    seal_transfers(now=NOW)
    assert not LogLeaf.objects.exists()

    move(wallet, opened(Purpose.MERCHANT), 200)

    call_command("sign_ledger")

    every = list(Transfer.objects.order_by("pk").values_list("pk", flat=True))
    logged = LogLeaf.objects.filter(kind=TRANSFER).values_list("subject", flat=True)
    assert len(every) == 3
    assert sorted(map(int, logged)) == every[:2]
    seal_transfers(now=NOW)
    assert sorted(map(int, logged.all())) == every
    assert verify()[0] == 0


@pytest.mark.django_db(transaction=True, reset_sequences=True)
def test_the_very_first_transfer_has_a_leaf_by_it_too() -> None:
    MerchantFactory.create()
    forget_signatures()
    opened(Purpose.WALLET, holding=500)
    seal_transfers(now=NOW)
    assert not LogLeaf.objects.exists()

    call_command("sign_ledger")

    assert LogLeaf.objects.get(kind=TRANSFER).subject == "1"


def test_it_waits_for_that_command_also_where_no_money_has_moved() -> None:
    """A service of the version before that has its first merchant, and no transfer."""
    MerchantFactory.create()
    forget_signatures()
    seal_transfers(now=NOW)

    assert log_rows(now=NOW) == 0
    assert not LogLeaf.objects.exists()
    call_command("sign_ledger")

    assert log_rows(now=NOW) == 1
    assert verify()[0] == 0


def test_it_signs_so_much_at_a_time_and_says_how_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signing_past, "CHUNK", 2)
    merchants = MerchantFactory.create_batch(3)
    fund(opened(Purpose.MERCHANT), 10)
    forget_signatures()

    assert signing_past.sign_existing_rows(now=NOW) == 4

    logged = WaitingEntry.objects.filter(kind="merchants_merchant").order_by("pk")
    assert sorted(logged.values_list("subject", flat=True)) == sorted(it.id for it in merchants)
    assert LogLeaf.objects.filter(kind=TRANSFER).count() == 1


def test_the_command_signs_nothing_twice() -> None:
    fund(opened(Purpose.MERCHANT), 10)
    seal_transfers(now=NOW)

    with pytest.raises(SystemExit):
        call_command("sign_ledger")


def test_keys_are_rotated(settings: Settings) -> None:
    fund(opened(Purpose.MERCHANT), 10)
    seal_transfers(now=NOW)
    old = settings.LEDGER_KEY

    settings.LEDGER_KEY = f"{'b' * 42}A=,{old}"
    fund(opened(Purpose.MERCHANT), 10)

    assert verify()[0] == 0
    settings.LEDGER_KEY = f"{'b' * 42}A="
    first = Transfer.objects.order_by("pk")[0].pk
    assert verify() == (1, f"Transfer {first} was not written by the service, or was changed.")


def test_the_form_of_an_entry_that_names_a_row_never_changes() -> None:
    """Its hash is in every head since it was written."""
    entry = row_entry("merchants_merchant", "mer_1", "1:abc")

    assert entry == b'{"id":"mer_1","kind":"merchants_merchant","signature":"1:abc"}'


def test_an_entry_has_each_value_of_its_transfer() -> None:
    with pytest.raises(ValueError, match="shorter"):
        transfer_entry(["tr_1"], "1:abc")
