"""Posting: what moves, what is refused, and that a refusal leaves nothing behind."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from core.writing import Write, write
from ledger.errors import InsufficientBalance
from ledger.models import HOUSE, Account, Purpose, Transfer, TransferKind, UnsealedTransfer
from ledger.services import Movement, balance_of, lock, post_transfers, posting_of
from tests.ledger.funding import NOW, fund, move, opened, problems

pytestmark = pytest.mark.django_db


def pay(
    wallet: Account, merchant: Account, fees: Account, amount: int, fee: int
) -> tuple[Movement, Movement]:
    return (
        Movement(
            kind=TransferKind.PAYMENT,
            reference="pay_1",
            debit=wallet,
            credit=merchant,
            amount=amount,
        ),
        Movement(kind=TransferKind.FEE, reference="pay_1", debit=merchant, credit=fees, amount=fee),
    )


def test_it_moves_a_payment_and_its_fee() -> None:
    wallet, merchant = opened(Purpose.WALLET, holding=1_000), opened(Purpose.MERCHANT)
    fees = opened(Purpose.FEES)

    post_transfers(transaction_id="txn_1", movements=pay(wallet, merchant, fees, 600, 17), now=NOW)

    assert [balance_of(account) for account in (wallet, merchant, fees)] == [400, 583, 17]
    payment, fee = Transfer.objects.filter(transaction_id="txn_1").order_by("id")
    assert (payment.kind, payment.reference, payment.amount) == ("payment", "pay_1", 600)
    assert (payment.debit_account, payment.credit_account) == (wallet, merchant)
    assert (payment.currency, payment.livemode, payment.created_at) == ("BSD", False, NOW)
    assert (fee.kind, fee.debit_account, fee.credit_account, fee.amount) == (
        "fee",
        merchant,
        fees,
        17,
    )
    assert payment.signature
    assert fee.signature


def test_a_payment_with_a_fee_is_one_statement_or_one_per_table() -> None:
    wallet, merchant = opened(Purpose.WALLET, holding=1_000), opened(Purpose.MERCHANT)
    movements = pay(wallet, merchant, opened(Purpose.FEES), 600, 17)

    with CaptureQueriesContext(connection) as statements:
        post_transfers(transaction_id="txn_1", movements=movements, now=NOW)

    texts = [statement["sql"] for statement in statements]
    tables = ("ledger_account", "ledger_transfer", "ledger_unsealedtransfer")
    assert len(texts) == (1 if connection.vendor == "postgresql" else len(tables))
    assert all(table in "".join(texts) for table in tables)


def giving_back(merchant: Account, wallet: Account, amount: int) -> list[Write]:
    """Return what gives back so much out of a locked account, not sent yet."""
    lock(merchant)
    refund = Movement(
        kind=TransferKind.REFUND, reference="ref_1", debit=merchant, credit=wallet, amount=amount
    )
    return posting_of(transaction_id="txn_1", movements=[refund], now=NOW)


def test_what_a_locked_account_pays_can_be_sent_with_other_statements() -> None:
    merchant, wallet = opened(Purpose.MERCHANT, holding=100), opened(Purpose.WALLET, holding=5)
    before = Transfer.objects.count()

    writes = giving_back(merchant, wallet, 100)

    assert Transfer.objects.count() == before
    write(*writes)
    assert (balance_of(merchant), balance_of(wallet)) == (0, 105)
    refund = Transfer.objects.get(reference="ref_1")
    assert (refund.transaction_id, refund.amount, refund.created_at) == ("txn_1", 100, NOW)
    assert UnsealedTransfer.objects.get(transfer=refund).amount == 100
    assert problems() == []


def test_one_cent_more_than_a_locked_account_holds_is_refused_before_it_is_sent() -> None:
    merchant, wallet = opened(Purpose.MERCHANT, holding=100), opened(Purpose.WALLET)

    with pytest.raises(InsufficientBalance):
        giving_back(merchant, wallet, 101)

    assert (balance_of(merchant), balance_of(wallet)) == (100, 0)


def test_what_is_below_zero_is_given_to_as_well() -> None:
    merchant = opened(Purpose.MERCHANT, holding=300)
    below_zero = opened(Purpose.FUNDING, HOUSE)

    write(*giving_back(merchant, below_zero, 100))

    assert (balance_of(merchant), balance_of(below_zero)) == (200, -200)


def test_it_leaves_the_row_of_a_merchant_alone() -> None:
    merchant = opened(Purpose.MERCHANT)

    move(opened(Purpose.WALLET, holding=100), merchant, 100)

    merchant.refresh_from_db()
    assert merchant.balance == 0
    assert balance_of(merchant) == 100


def test_an_account_that_pays_is_locked_before_its_balance_is_read() -> None:
    merchant, wallet = opened(Purpose.MERCHANT, holding=100), opened(Purpose.WALLET)

    with CaptureQueriesContext(connection) as statements:
        move(merchant, wallet, 100)

    reads = [each["sql"] for each in statements if each["sql"].startswith("SELECT")]
    assert ["ORDER BY CASE" in sql for sql in reads] == [True, False]  # the order of locks


def test_it_spends_the_last_cent() -> None:
    wallet = opened(Purpose.WALLET, holding=100)

    move(wallet, opened(Purpose.MERCHANT), 100)

    assert balance_of(wallet) == 0


def test_it_lets_a_merchant_give_back_what_the_same_call_brought() -> None:
    wallet, merchant = opened(Purpose.WALLET, holding=50), opened(Purpose.MERCHANT)

    post_transfers(
        transaction_id="txn_1",
        movements=pay(wallet, merchant, opened(Purpose.FEES), 50, 50),
        now=NOW,
    )

    assert balance_of(merchant) == 0


def test_funding_alone_goes_below_zero() -> None:
    fund(opened(Purpose.WALLET), 700)

    assert balance_of(opened(Purpose.FUNDING, "house")) == -700


@pytest.mark.parametrize("purpose", sorted(set(Purpose) - {Purpose.FUNDING}))
def test_it_refuses_one_cent_too_much(purpose: Purpose) -> None:
    account, other = opened(purpose, holding=100), opened(Purpose.WALLET, "cus_other")
    before = Transfer.objects.count()

    with pytest.raises(InsufficientBalance):
        move(account, other, 101)

    assert (balance_of(account), balance_of(other)) == (100, 0)
    assert Transfer.objects.count() == UnsealedTransfer.objects.count() == before


def test_it_refuses_to_give_before_it_has_received() -> None:
    wallet, merchant = opened(Purpose.WALLET, holding=50), opened(Purpose.MERCHANT)
    payment, fee = pay(wallet, merchant, opened(Purpose.FEES), 50, 10)

    with pytest.raises(InsufficientBalance):
        post_transfers(transaction_id="txn_1", movements=[fee, payment], now=NOW)

    assert balance_of(wallet) == 50


def test_it_counts_what_the_movements_of_one_call_take_together() -> None:
    wallet, merchant = opened(Purpose.WALLET, holding=100), opened(Purpose.MERCHANT)
    twice = [
        Movement(kind=kind, reference="pay_1", debit=wallet, credit=merchant, amount=60)
        for kind in (TransferKind.PAYMENT, TransferKind.ADJUSTMENT)
    ]

    with pytest.raises(InsufficientBalance):
        post_transfers(transaction_id="txn_1", movements=twice, now=NOW)

    assert balance_of(wallet) == 100


def test_a_refusal_that_the_caller_survives_leaves_nothing_behind() -> None:
    rich, poor = opened(Purpose.WALLET, "cus_1", holding=100), opened(Purpose.WALLET, "cus_2")
    merchant = opened(Purpose.MERCHANT)
    movements = [
        Movement(
            kind=TransferKind.PAYMENT, reference="pay_1", debit=rich, credit=merchant, amount=60
        ),
        Movement(
            kind=TransferKind.PAYMENT, reference="pay_2", debit=poor, credit=merchant, amount=60
        ),
    ]

    with transaction.atomic(), pytest.raises(InsufficientBalance):
        post_transfers(transaction_id="txn_1", movements=movements, now=NOW)

    assert (balance_of(rich), balance_of(poor), balance_of(merchant)) == (100, 0, 0)


@pytest.mark.parametrize("amount", [0, -1, -100])
def test_it_refuses_an_amount_that_is_not_positive(amount: int) -> None:
    wallet, merchant = opened(Purpose.WALLET, holding=100), opened(Purpose.MERCHANT, holding=100)

    with pytest.raises(IntegrityError):
        move(wallet, merchant, amount)

    assert (balance_of(wallet), balance_of(merchant)) == (100, 100)


@pytest.mark.django_db(transaction=True)
def test_a_refusal_of_the_database_cannot_be_survived() -> None:
    """SQLite would keep the statements before; the caller must not be able to commit them."""
    wallet, merchant = opened(Purpose.WALLET, holding=100), opened(Purpose.MERCHANT)
    move(wallet, merchant, 10, reference="pay_1")

    again = Movement(
        kind=TransferKind.PAYMENT, reference="pay_1", debit=wallet, credit=merchant, amount=10
    )
    with transaction.atomic(), pytest.raises(IntegrityError):
        post_transfers(transaction_id="txn_2", movements=[again], now=NOW)

    assert (balance_of(wallet), balance_of(merchant)) == (90, 10)


def test_it_refuses_the_same_reference_twice() -> None:
    wallet, merchant = opened(Purpose.WALLET, holding=100), opened(Purpose.MERCHANT)
    move(wallet, merchant, 10, reference="pay_1")

    with pytest.raises(IntegrityError):
        move(wallet, merchant, 10, reference="pay_1")

    assert (balance_of(wallet), balance_of(merchant)) == (90, 10)


def test_it_takes_a_reference_once_for_each_kind() -> None:
    wallet, merchant = opened(Purpose.WALLET, holding=100), opened(Purpose.MERCHANT)
    move(wallet, merchant, 10, TransferKind.PAYMENT, reference="pay_1")

    move(merchant, wallet, 10, TransferKind.REFUND, reference="pay_1")

    assert balance_of(wallet) == 100


@pytest.mark.parametrize("purpose", [Purpose.WALLET, Purpose.MERCHANT, Purpose.FUNDING])
def test_it_refuses_a_transfer_to_oneself(purpose: Purpose) -> None:
    account = opened(purpose, holding=0 if purpose == Purpose.FUNDING else 100)

    with pytest.raises(IntegrityError):
        move(account, account, 10)


@pytest.mark.parametrize("other", [{"currency": "USD"}, {"livemode": True}])
@pytest.mark.parametrize("outwards", [True, False])
def test_it_refuses_a_transfer_across_currencies_and_modes(
    other: dict[str, object], outwards: bool
) -> None:
    here = opened(Purpose.WALLET, holding=100)
    there = opened(Purpose.WALLET, "cus_2", holding=100, **other)  # type: ignore[arg-type]  # one of two keywords

    with pytest.raises(IntegrityError):
        move(*(here, there) if outwards else (there, here), 10)

    assert (balance_of(here), balance_of(there)) == (100, 100)


@pytest.mark.django_db(transaction=True)
def test_it_refuses_to_post_without_a_transaction() -> None:
    wallet, merchant = opened(Purpose.WALLET, holding=100), opened(Purpose.MERCHANT)
    movement = Movement(
        kind=TransferKind.PAYMENT, reference="pay_1", debit=wallet, credit=merchant, amount=5
    )

    with pytest.raises(transaction.TransactionManagementError):
        post_transfers(transaction_id="txn_1", movements=[movement], now=NOW)

    assert balance_of(wallet) == 100


def test_a_wallet_below_zero_is_refused_by_the_database() -> None:
    wallet = opened(Purpose.WALLET)

    with pytest.raises(IntegrityError):
        Account.objects.filter(pk=wallet.pk).update(balance=-1)
