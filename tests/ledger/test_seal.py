"""Sealing: order, no holes, no transfer left out or taken twice."""

import hashlib
from datetime import timedelta
from unittest.mock import Mock

import pytest
import structlog
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoCaptureOnCommitCallbacks

from core.hash_chain import FIRST_HASH
from ledger import sealing, tasks
from ledger.chain import seal_hash
from ledger.models import (
    Account,
    Checkpoint,
    LogLeaf,
    Proof,
    Purpose,
    Seal,
    Transfer,
    TransferKind,
    UnsealedTransfer,
    WaitingEntry,
)
from ledger.sealing import seal_transfers
from ledger.services import balance_of
from tests.factories import MerchantFactory
from tests.ledger.funding import NOW, fund, move, opened, problems

pytestmark = pytest.mark.django_db


def post_some(number: int) -> None:
    merchant = opened(Purpose.MERCHANT)
    for _ in range(number):
        fund(merchant, 10)


def test_it_seals_in_the_order_of_posting() -> None:
    post_some(5)

    assert seal_transfers(now=NOW) == 5

    sealed = list(Seal.objects.order_by("sequence").values_list("sequence", "transfer_id"))
    ids = list(Transfer.objects.order_by("id").values_list("id", flat=True))
    assert sealed == list(enumerate([None, *ids]))
    assert UnsealedTransfer.objects.count() == 0


def test_it_goes_on_where_it_stopped() -> None:
    post_some(5)

    assert [seal_transfers(now=NOW, limit=2) for _ in range(4)] == [2, 2, 1, 0]

    assert list(Seal.objects.order_by("sequence").values_list("sequence", flat=True)) == [*range(6)]


def test_it_folds_what_it_has_sealed_into_the_balances() -> None:
    wallet, merchant = opened(Purpose.WALLET, holding=500), opened(Purpose.MERCHANT)
    move(wallet, merchant, 300)
    move(merchant, opened(Purpose.FEES), 9, TransferKind.FEE)
    seal_transfers(now=NOW, limit=2)

    assert stored() == {"wallet": 200, "merchant": 300, "fees": 0, "funding": -500}
    seal_transfers(now=NOW)
    assert stored() == {"wallet": 200, "merchant": 291, "fees": 9, "funding": -500}
    assert balance_of(merchant) == 291


def stored() -> dict[str, int]:
    return dict(Account.objects.values_list("purpose", "balance"))


def test_nothing_waiting_is_nothing_done() -> None:
    assert seal_transfers(now=NOW) == 0

    seal = Seal.objects.get()
    assert (seal.sequence, seal.hash, seal.transfer) == (0, FIRST_HASH, None)


def test_the_hash_covers_the_transfer_its_accounts_and_the_seal_before() -> None:
    """Computed here once more, by hand: the form of the chain never changes."""
    merchant = opened(Purpose.MERCHANT, "mer_1")
    fund(merchant, 10)
    seal_transfers(now=NOW)
    transfer, funding = Transfer.objects.get(), Account.objects.get(purpose=Purpose.FUNDING)

    expected = seal_hash(
        FIRST_HASH,
        sequence=1,
        sealed_at=NOW,
        fields=[
            *(transfer.pk, transfer.transaction_id, "top_up", transfer.reference, 10, "BSD"),
            *(False, "", NOW),
            *(funding.pk, "house", "funding", "BSD", False),
            *(merchant.pk, "mer_1", "merchant", "BSD", False),
        ],
    )

    assert Seal.objects.get(sequence=1).hash == expected


def test_the_form_of_the_hash_stands_for_ever() -> None:
    digest = seal_hash(FIRST_HASH, sequence=7, sealed_at=NOW, fields=[1, 'é"\n', True, NOW, -5])

    instant = "2026-03-04T05:06:07.089000+00:00"
    text = f'["{"0" * 64}",7,"{instant}",1,"\\u00e9\\"\\n",true,"{instant}",-5]'
    assert digest == hashlib.sha256(text.encode()).hexdigest()


def test_it_takes_as_many_statements_for_many_transfers_as_for_few() -> None:
    def statements(number: int) -> int:
        post_some(number)
        with CaptureQueriesContext(connection) as taken:
            seal_transfers(now=NOW)
        return len(taken)

    statements(1)
    assert statements(40) == statements(2)


def test_the_task_seals_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "SEAL_BATCH", 2)
    post_some(5)

    tasks.seal_transfers()

    assert UnsealedTransfer.objects.count() == 0
    assert Seal.objects.count() == 6


def test_it_notes_the_head_of_the_chain_in_the_log(
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    post_some(3)

    with structlog.testing.capture_logs() as logs, django_capture_on_commit_callbacks(execute=True):
        seal_transfers(now=NOW)

    head = Seal.objects.get(sequence=3)
    noted = [entry for entry in logs if entry["event"] == "ledger_sealed"]
    assert [(entry["sequence"], entry["hash"]) for entry in noted] == [(3, head.hash)]


@pytest.mark.parametrize("moment", ["_next_seals", "_fold"])
def test_a_sealer_that_dies_halfway_has_done_nothing(
    monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    post_some(3)
    balances = stored()
    with monkeypatch.context() as patch:
        patch.setattr(sealing, moment, Mock(side_effect=SystemError))
        with pytest.raises(SystemError):
            seal_transfers(now=NOW)

    assert (Seal.objects.count(), UnsealedTransfer.objects.count()) == (0, 3)
    assert stored() == balances
    assert seal_transfers(now=NOW) == 3
    assert problems() == []


def test_a_waiting_transfer_stays_until_it_is_sealed() -> None:
    post_some(1)

    with pytest.raises(IntegrityError), transaction.atomic():
        UnsealedTransfer.objects.all().delete()

    assert UnsealedTransfer.objects.count() == 1


def test_a_later_seal_may_carry_an_earlier_instant() -> None:
    post_some(1)
    seal_transfers(now=NOW)
    post_some(1)

    assert seal_transfers(now=NOW - timedelta(minutes=10)) == 1

    assert Seal.objects.latest("sequence").sealed_at == NOW - timedelta(minutes=10)


def test_the_long_tasks_have_their_time_and_are_not_given_to_another() -> None:
    limits = [
        (task.acks_late, task.soft_time_limit, task.time_limit)
        for task in (tasks.sign_checkpoint, tasks.prove_ledger)
    ]

    assert limits == [(False, 300, 330), (False, 3_600, 3_660)]


def test_the_sum_of_what_was_signed_and_proven_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "SEAL_BATCH", 2)
    post_some(5)
    MerchantFactory.create_batch(3)

    for task in (tasks.seal_transfers, tasks.sign_checkpoint, tasks.prove_ledger):
        task()

    assert not UnsealedTransfer.objects.exists()
    assert not WaitingEntry.objects.exists()
    proof = Proof.objects.get()
    assert Checkpoint.objects.get().size == LogLeaf.objects.count() == proof.leaves == 9
    assert proof.ended_at is not None
    assert proof.whole_ended_at is not None
