"""The log where another process writes, an earlier release has written, or a migration goes back"""

from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import call_command

from core import merkle
from ledger import logging_rows, restoring, sealing, signing_past
from ledger.checkpoints import sign_head
from ledger.log_tree import append_leaves
from ledger.log_triggers import LogRows
from ledger.models import LogLeaf, Purpose, Transfer, UnsealedTransfer, WaitingEntry
from ledger.restoring import note_restore
from ledger.sealing import SealerBusy, log_rows, seal_transfers
from ledger.signing_past import sign_existing_rows
from ledger.transaction_receipts import receipt_of
from merchants.models import Merchant
from tests.factories import MerchantFactory
from tests.ledger.command import verify
from tests.ledger.funding import NOW, fund, opened
from tests.ledger.unsigned import forget_signatures

pytestmark = pytest.mark.django_db(transaction=True)


def test_where_another_process_writes_the_log_nothing_is_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fund(opened(Purpose.MERCHANT), 10)
    seal_transfers(now=NOW)
    MerchantFactory.create()
    fund(opened(Purpose.MERCHANT), 10)
    before = LogLeaf.objects.count(), WaitingEntry.objects.count(), UnsealedTransfer.objects.count()
    for module in (sealing, signing_past, restoring):
        monkeypatch.setattr(module, "hold_chain", lambda now: False)

    assert (seal_transfers(now=NOW), log_rows(now=NOW)) == (0, 0)
    for write in (sign_existing_rows, note_restore):
        with pytest.raises(SealerBusy):
            write(now=NOW)

    assert before == (
        LogLeaf.objects.count(),
        WaitingEntry.objects.count(),
        UnsealedTransfer.objects.count(),
    )


def test_what_waits_with_a_signature_when_the_log_begins_goes_on_waiting() -> None:
    MerchantFactory.create()
    forget_signatures()
    signed = MerchantFactory.create()

    call_command("sign_ledger")

    assert WaitingEntry.objects.filter(subject=signed.id, signature=signed.signature).exists()
    assert not WaitingEntry.objects.filter(signature="").exists()


def test_what_the_upgrade_has_signed_is_changed_without_an_alarm() -> None:
    """It has its signature in the log alone, and each change was named as the loss of it."""
    merchant = MerchantFactory.create()
    fund(opened(Purpose.MERCHANT), 10)
    seal_transfers(now=NOW)
    forget_signatures()
    call_command("sign_ledger")
    log_rows(now=NOW)

    for fee in (250, 300):
        merchant = Merchant.objects.get(pk=merchant.pk)
        merchant.fee_basis_points = fee
        merchant.save(update_fields=["fee_basis_points"])
        log_rows(now=NOW)

    assert merchant.signature
    assert verify("--all")[0] == 0


def test_a_receipt_has_no_leaf_of_another_row_with_the_same_key() -> None:
    fund(opened(Purpose.MERCHANT), 10)
    fund(opened(Purpose.MERCHANT), 20)
    seal_transfers(now=NOW)
    first, second = Transfer.objects.order_by("pk")
    entry = logging_rows.row_leaf(WaitingEntry(kind="x", subject=str(first.pk), signature="s"))
    append_leaves([entry], now=NOW)
    assert receipt_of(first.transaction_id, Transfer.objects.filter(pk=first.pk)).status == (
        "pending"
    )
    sign_head(now=NOW)

    receipt = receipt_of(first.transaction_id, Transfer.objects.filter(pk=first.pk))

    [leaf] = receipt.leaves or []
    assert (receipt.status, leaf.index) == ("proven", 1)
    stored = LogLeaf.objects.get(kind="ledger_transfer", subject=str(first.pk))
    assert merkle.leaf_hash(leaf.entry.encode()) == bytes(stored.hash)
    whole = receipt_of(second.transaction_id, Transfer.objects.all())
    assert [leaf.index for leaf in whole.leaves or []] == [1, 2]


def test_until_all_its_leaves_are_signed_for_a_transaction_is_pending() -> None:
    fund(opened(Purpose.MERCHANT), 10)
    seal_transfers(now=NOW)
    sign_head(now=NOW)
    fund(opened(Purpose.MERCHANT), 20)
    seal_transfers(now=NOW)
    [transfer, _] = Transfer.objects.order_by("pk")

    receipt = receipt_of(transfer.transaction_id, Transfer.objects.all())

    assert receipt.as_json() == {
        "transaction_id": transfer.transaction_id,
        "status": "pending",
        "checkpoint": "",
        "leaves": [],
    }


@pytest.mark.parametrize(("vendor", "of_table"), [("postgresql", " ON t"), ("sqlite", "")])
def test_triggers_that_fill_the_log_go_back_with_their_migration(
    vendor: str, of_table: str
) -> None:
    said: list[str] = []
    editor: Any = SimpleNamespace(
        connection=SimpleNamespace(vendor=vendor), execute=lambda sql, params: said.append(sql)
    )

    LogRows("t").database_backwards("ledger", editor, None, None)

    assert said == [f"DROP TRIGGER log_t_{event}{of_table}" for event in ("insert", "update")]
    assert LogRows("t").reversible
    assert LogRows("t").reduces_to_sql
