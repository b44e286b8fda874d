"""Find customers, fill their wallets, freeze and unfreeze them."""

from datetime import datetime
from functools import cache

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef

from core.errors import InvalidAmount
from core.ids import new_id
from core.money import MAX_AMOUNT
from core.prepared import Place, Prepared
from core.sweeping import sweep
from customers.account_changes import AccountChange, record_change
from customers.errors import CustomerFrozen
from customers.magic_phones import (
    INSUFFICIENT_BALANCE_PHONES,
    WORKING_PHONE,
    Behaviour,
    behaviour_of,
)
from customers.models import Customer, CustomerSession
from customers.phones import normalize_phone
from ledger.models import HOUSE, Account, Purpose, TransferKind
from ledger.services import Movement, account_for, lock, post_transfers

TEST_WALLET_AMOUNT = 10_000_000
TEST_WALLET_REFILL_BELOW = 1_000_000
REFILL_BATCH = 500


def find_or_create(*, phone: str, livemode: bool, now: datetime) -> Customer:
    """Return the customer of this phone in this mode, created on first use.

    `phone` in any common format. Raises ValidationFailed.
    """
    customer, _ = Customer.objects.get_or_create(
        phone=normalize_phone(phone, livemode=livemode),
        livemode=livemode,
        defaults={"id": new_id("cus", now), "created_at": now, "updated_at": now},
    )
    return customer


@transaction.atomic
def test_customer(
    phone: str | None,
    now: datetime,
    currency: str | None = None,  # noqa: PT028  # not a test, whatever its name
) -> Customer:
    """Return a test customer with a wallet of 100,000.00; without a phone, the one that works.

    May lock the wallet: lock a payment before this call. Raises ValidationFailed.
    """
    currency = currency or settings.DEFAULT_CURRENCY
    number = normalize_phone(phone or WORKING_PHONE, livemode=False)
    for known in _with_money().rows(phone=number, currency=currency):
        return known
    customer = find_or_create(phone=number, livemode=False, now=now)
    if behaviour_of(customer) != Behaviour.INSUFFICIENT_BALANCE:
        account = wallet(customer, currency)
        if account.balance == 0:
            _fill_test_wallet(customer, account, now)
    return customer


@cache
def _with_money() -> Prepared[Customer]:
    """Find the test customer of a phone whose wallet need not be filled."""
    filled = Account.objects.filter(
        owner=OuterRef("pk"), purpose=Purpose.WALLET, currency=Place("currency"), livemode=False
    ).exclude(balance=0)
    return Prepared(Customer.objects.filter(Exists(filled), phone=Place("phone"), livemode=False))


test_customer.__test__ = False  # type: ignore[attr-defined]  # so that pytest knows, too


def refill_test_wallets(*, now: datetime) -> int:
    """Refill test wallets that run low, so that one integrator's tests do not fail another's.

    Returns how many.
    """
    poor = Customer.objects.filter(phone__in=INSUFFICIENT_BALANCE_PHONES, livemode=False)
    low = Account.objects.filter(
        purpose=Purpose.WALLET, livemode=False, balance__lt=TEST_WALLET_REFILL_BELOW
    ).exclude(owner__in=poor.values("pk"))
    accounts = list(low.order_by("pk")[:REFILL_BATCH])
    customers = Customer.objects.in_bulk([account.owner for account in accounts])

    def refill(account: Account) -> bool:
        with transaction.atomic():
            _fill_test_wallet(customers[account.owner], account, now)
        return True

    return sweep("refill test wallets", refill, accounts)


def wallet(customer: Customer, currency: str) -> Account:
    """Return the customer's account of this currency, opened on first use."""
    return account_for(
        owner=customer.id, purpose=Purpose.WALLET, currency=currency, livemode=customer.livemode
    )


@transaction.atomic
def top_up(
    *, customer: Customer, amount: int, currency: str, now: datetime, description: str = ""
) -> str:
    """Put money into a wallet, from the funding account. Returns the transaction's id.

    Raises InvalidAmount.
    """
    if not 0 < amount <= MAX_AMOUNT:
        raise InvalidAmount(amount=f"must be from 1 to {MAX_AMOUNT} of the smallest unit")
    funding = account_for(
        owner=HOUSE, purpose=Purpose.FUNDING, currency=currency, livemode=customer.livemode
    )
    movement = Movement(
        kind=TransferKind.TOP_UP,
        reference=new_id("txn", now),
        debit=funding,
        credit=wallet(customer, currency),
        amount=amount,
        description=description,
    )
    post_transfers(transaction_id=movement.reference, movements=[movement], now=now)
    return movement.reference


def lock_payer(customer_id: str) -> Customer:
    """Return the customer who pays, locked until the transaction ends. Raises CustomerFrozen."""
    customer = Customer.objects.locked(customer_id)
    if customer.frozen_at is not None:
        raise CustomerFrozen
    return customer


@transaction.atomic
def freeze(*, customer_id: str, actor: str, now: datetime, cause: str = "") -> Customer:
    """Stop a customer from signing in and paying, until unfrozen; their sessions end.

    Recorded with who did it, and why. Raises CustomerNotFound.
    """
    customer = Customer.objects.locked(customer_id)
    customer.frozen_at, customer.updated_at = now, now
    customer.save(update_fields=["frozen_at", "updated_at"])
    CustomerSession.objects.end_others(customer.pk, None, now=now)
    record_change(customer.pk, AccountChange.FROZEN, actor=actor, cause=cause, now=now)
    return customer


@transaction.atomic
def unfreeze(*, customer_id: str, actor: str, now: datetime) -> Customer:
    """Let a frozen customer sign in and pay again. Raises CustomerNotFound, CustomerErased."""
    customer = Customer.objects.locked(customer_id)
    customer.refuse_erased()
    customer.frozen_at, customer.updated_at = None, now
    customer.save(update_fields=["frozen_at", "updated_at"])
    record_change(customer.pk, AccountChange.UNFROZEN, actor=actor, now=now)
    return customer


def _fill_test_wallet(customer: Customer, account: Account, now: datetime) -> None:
    lock(account)
    account.refresh_from_db()
    if account.balance < TEST_WALLET_REFILL_BELOW:
        top_up(
            customer=customer,
            amount=TEST_WALLET_AMOUNT - account.balance,
            currency=account.currency,
            now=now,
            description="Test money",
        )
