"""Which transactions wait: none for a hot merchant, and none in a deadlock."""

import threading
from collections.abc import Callable
from functools import partial

import pytest
from django.db import transaction
from pytest_django import Settings

from ledger.integrity import verify
from ledger.models import (
    Account,
    Purpose,
    Seal,
    TransferKind,
)
from ledger.sealing import seal_transfers
from ledger.services import Movement, balance_of, lock, post_transfers
from tests.ledger.funding import NOW, fund, move, opened, problems
from tests.races import WAIT_SECONDS, at_once, wait_for_a_waiter

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]


def paying(number: int, amount: int) -> list[tuple[Account, str]]:
    return [(opened(Purpose.WALLET, f"cus_{n}", holding=amount), f"pay_{n}") for n in range(number)]


def pay_with_fee(wallet: Account, reference: str, amount: int) -> None:
    merchant, fees = opened(Purpose.MERCHANT), opened(Purpose.FEES)
    post_transfers(
        transaction_id="txn_1",
        movements=[
            Movement(
                kind=TransferKind.PAYMENT,
                reference=reference,
                debit=wallet,
                credit=merchant,
                amount=amount,
            ),
            Movement(
                kind=TransferKind.FEE, reference=reference, debit=merchant, credit=fees, amount=1
            ),
        ],
        now=NOW,
    )


def test_no_one_waits_for_a_hot_merchant() -> None:
    """Each transaction stays open until all have posted: one row would make all of them wait."""
    opened(Purpose.MERCHANT), opened(Purpose.FEES)
    everyone_has_posted = threading.Barrier(20)

    def pay(wallet: Account, reference: str) -> str:
        with transaction.atomic():
            pay_with_fee(wallet, reference, 100)
            everyone_has_posted.wait(WAIT_SECONDS)
        return "paid"

    outcomes = at_once([partial(pay, *who) for who in paying(20, 100)])

    assert outcomes == ["paid"] * 20
    assert balance_of(opened(Purpose.MERCHANT)) == 20 * 99
    assert problems() == []


@pytest.mark.parametrize("holder", [lock, lambda merchant: seal_transfers(now=NOW)])
def test_a_payment_waits_neither_for_a_payout_nor_for_the_sealer(
    holder: Callable[[Account], object],
) -> None:
    """Both hold the row of the merchant, and stay open until the payment is committed."""
    merchant = opened(Purpose.MERCHANT, holding=500)
    wallet = opened(Purpose.WALLET, holding=100)
    held, paid = threading.Event(), threading.Event()

    def hold() -> bool:
        with transaction.atomic():
            holder(merchant)
            held.set()
            return paid.wait(WAIT_SECONDS)

    def pay() -> None:
        held.wait(WAIT_SECONDS)
        move(wallet, merchant, 100)
        paid.set()

    assert at_once([hold, pay]) == [True, None]
    assert balance_of(merchant) == 600


def test_a_payout_waits_for_a_payout() -> None:
    merchant = opened(Purpose.MERCHANT, holding=500)
    held, second_is_done = threading.Event(), threading.Event()

    def first() -> bool:
        with transaction.atomic():
            lock(merchant)
            held.set()
            return second_is_done.wait(0.3)

    def second() -> None:
        held.wait(WAIT_SECONDS)
        with transaction.atomic():
            lock(merchant)
            second_is_done.set()

    assert at_once([first, second]) == [False, None]


def adjust(*debits: Account, credit: Account) -> None:
    """Take one cent from each of the accounts in one transaction."""
    movements = [
        Movement(
            kind=TransferKind.ADJUSTMENT,
            reference=f"adj_{credit.pk}_{debit.pk}",
            debit=debit,
            credit=credit,
            amount=1,
        )
        for debit in debits
    ]
    with transaction.atomic():
        post_transfers(transaction_id="txn_1", movements=movements, now=NOW)


@pytest.mark.parametrize(
    "other",
    [
        lambda fees, merchant: seal_transfers(now=NOW),
        lambda fees, merchant: adjust(fees, merchant, credit=opened(Purpose.WALLET, "cus_2")),
    ],
    ids=["sealer", "post"],
)
def test_a_lock_of_several_accounts_begins_with_the_merchant(
    other: Callable[[Account, Account], object],
) -> None:
    """The account of the fees is the older one: by id alone, these two would block each other."""
    fees, merchant = opened(Purpose.FEES, holding=50), opened(Purpose.MERCHANT, holding=50)
    customer = opened(Purpose.WALLET)
    held = threading.Event()

    def refund() -> None:
        with transaction.atomic():
            lock(merchant)
            held.set()
            wait_for_a_waiter()
            adjust(merchant, fees, credit=customer)

    def work() -> None:
        held.wait(WAIT_SECONDS)
        other(fees, merchant)

    assert at_once([refund, work]) == [None, None]
    assert problems() == []


def test_the_second_sealer_does_not_wait_for_the_first() -> None:
    seal_transfers(now=NOW)
    fund(opened(Purpose.MERCHANT), 1)
    first_has_sealed, second_is_done = threading.Event(), threading.Event()

    def first() -> int:
        with transaction.atomic():
            number = seal_transfers(now=NOW)
            first_has_sealed.set()
            second_is_done.wait(WAIT_SECONDS)
        return number

    def second() -> int:
        first_has_sealed.wait(WAIT_SECONDS)
        number = seal_transfers(now=NOW)
        second_is_done.set()
        return number

    assert at_once([first, second]) == [1, 0]


def test_a_transfer_that_commits_late_is_sealed_late() -> None:
    """Its id is lower than that of a transfer which is sealed before: that is no hole."""
    merchant = opened(Purpose.MERCHANT)
    wallets = paying(2, 100)
    slow_has_posted, sealed = threading.Event(), threading.Event()

    def slow() -> None:
        with transaction.atomic():
            pay_with_fee(*wallets[0], 100)
            slow_has_posted.set()
            sealed.wait(WAIT_SECONDS)

    def quick() -> int:
        slow_has_posted.wait(WAIT_SECONDS)
        move(wallets[1][0], merchant, 100, reference="quick")
        number = seal_transfers(now=NOW)
        sealed.set()
        return number

    assert at_once([slow, quick]) == [None, 3]
    assert seal_transfers(now=NOW) == 2
    references = Seal.objects.order_by("sequence").values_list("transfer__reference", flat=True)
    assert list(references)[-3:] == ["quick", "pay_0", "pay_0"]
    assert problems() == []


def test_a_proof_holds_no_snapshot_from_one_check_to_the_next(settings: Settings) -> None:
    settings.LEDGER_CHECKS = [f"{__name__}.seal_beside", f"{__name__}.count_seals"]
    move(opened(Purpose.WALLET, holding=100), opened(Purpose.MERCHANT), 60)

    assert list(verify(progress=lambda done, total: None)) == ["3 seals"]


def seal_beside() -> list[str]:
    """Seal, while a proof is under way, what has been moved: a top-up and a payment."""
    assert at_once([partial(seal_transfers, now=NOW)]) == [2]
    return []


def count_seals() -> list[str]:
    return [f"{Seal.objects.count()} seals"]
