"""Find customers, fill their wallets, freeze and unfreeze them."""

from datetime import datetime
from functools import cache
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef

from core.errors import InvalidAmount
from core.ids import new_id
from core.money import MAX_AMOUNT
from core.prepared import Placeholder, Prepared, instant_placeholder
from core.sweeping import sweep
from customers.account_changes import (
    AccountChange,
    email_set_at,
    record_change,
    was_frozen_because,
)
from customers.magic_phones import (
    POOR,
    POOR_PHONES,
    WORKING_PHONE,
    behaviour_of,
)
from customers.models import Customer, CustomerSession
from customers.new_proofs import note_new_proof
from customers.phones import normalize_phone
from customers.security_alerts import SecurityChange, plan_notice
from ledger.models import HOUSE, Account, Purpose, TransferKind
from ledger.services import Movement, account_for, lock, post_transfers
from merchants.errors import MerchantInactive
from merchants.models import Merchant
from merchants.statuses import MerchantStatus

TEST_WALLET_AMOUNT = 10_000_000
TEST_WALLET_REFILL_BELOW = 1_000_000
REFILL_BATCH = 500


def find_or_create(*, phone: str, now: datetime) -> Customer:
    """Return the live customer of this phone, created on first use.

    `phone` in any common format. Raises ValidationFailed.
    """
    number = normalize_phone(phone, livemode=True)
    return _find_or_create(now, phone=number, livemode=True, merchant=None)


def _find_or_create(now: datetime, **key: Any) -> Customer:
    made = {"id": new_id("cus", now), "created_at": now, "updated_at": now}
    return Customer.objects.get_or_create(**key, defaults=made)[0]


def test_customer(
    phone: str | None,
    now: datetime,
    currency: str | None = None,  # noqa: PT028  # not a test, whatever its name
    *,
    merchant_id: str,
    least: int = 1,  # noqa: PT028  # as above
) -> Customer:
    """Return a merchant's test customer; without a phone, the one that works.

    Unless it is one that is to have too little, its wallet holds `least`: what does not is filled
    to 100,000.00, or to that if it is more. May lock the wallet: lock a payment before this call.
    Raises ValidationFailed.
    """
    currency = currency or settings.DEFAULT_CURRENCY
    number = normalize_phone(phone or WORKING_PHONE, livemode=False)
    key = {"phone": number, "merchant": merchant_id, "currency": currency}
    for known in _with_money().rows(**key, least=least):
        return known
    return _customer_with_money(number, merchant_id, currency, least, now)


@transaction.atomic
def _customer_with_money(
    number: str, merchant_id: str, currency: str, least: int, now: datetime
) -> Customer:
    customer = _find_or_create(now, phone=number, livemode=False, merchant_id=merchant_id)
    fill_test_wallet(customer, currency, least=least, now=now)
    return customer


def fill_test_wallet(customer: Customer, currency: str, *, least: int, now: datetime) -> None:
    """See that a test customer's wallet holds `least`, as `test_customer` does, but locked.

    So it still does when the caller's transaction pays.
    """
    if behaviour_of(customer) not in POOR:
        _fill_test_wallet(customer, wallet(customer, currency), least, now)


@cache
def _with_money() -> Prepared[Customer]:
    """Return the query for a merchant's test customer by phone, if the wallet holds `least`."""
    filled = Account.objects.filter(
        owner=OuterRef("pk"),
        purpose=Purpose.WALLET,
        currency=Placeholder("currency"),
        livemode=False,
        balance__gte=instant_placeholder("least"),
    )
    key = {"phone": Placeholder("phone"), "livemode": False, "merchant": Placeholder("merchant")}
    return Prepared(Customer.objects.filter(Exists(filled), **key))


test_customer.__test__ = False  # type: ignore[attr-defined]  # so that pytest knows, too


def refill_test_wallets(*, now: datetime) -> int:
    """Refill test wallets that run low, so that no test lacks money; return how many."""
    poor = Customer.objects.filter(phone__in=POOR_PHONES)
    low = Account.objects.filter(
        purpose=Purpose.WALLET, livemode=False, balance__lt=TEST_WALLET_REFILL_BELOW
    ).exclude(owner__in=poor.values("pk"))
    accounts = list(low.order_by("pk")[:REFILL_BATCH])
    customers = Customer.objects.in_bulk([account.owner for account in accounts])

    def refill(account: Account) -> bool:
        with transaction.atomic():
            _fill_test_wallet(customers[account.owner], account, TEST_WALLET_REFILL_BELOW, now)
        return True

    return sweep("refill test wallets", refill, accounts)


def wallet(customer: Customer, currency: str) -> Account:
    """Return the customer's account of this currency, opened on first use."""
    return account_for(
        owner=customer.id, purpose=Purpose.WALLET, currency=currency, livemode=customer.livemode
    )


@transaction.atomic
def top_up(
    *,
    customer: Customer,
    amount: int,
    currency: str,
    now: datetime,
    description: str = "",
    reference: str = "",
    transaction_id: str = "",
) -> str:
    """Put money into a wallet, from the funding account. Returns the transaction's id.

    `reference` is the public id of what brings the money, which it does once. Raises InvalidAmount.
    """
    if not 0 < amount <= MAX_AMOUNT:
        raise InvalidAmount(amount=f"must be from 1 to {MAX_AMOUNT} of the smallest unit")
    funding = account_for(
        owner=HOUSE, purpose=Purpose.FUNDING, currency=currency, livemode=customer.livemode
    )
    transaction_id = transaction_id or new_id("txn", now)
    movement = Movement(
        kind=TransferKind.TOP_UP,
        reference=reference or transaction_id,
        debit=funding,
        credit=wallet(customer, currency),
        amount=amount,
        description=description,
    )
    post_transfers(transaction_id=transaction_id, movements=[movement], now=now)
    return transaction_id


def lock_payer(customer_id: str, *, payee_id: str) -> Customer:
    """Return the customer who pays a merchant, locked until the transaction ends.

    The same statement checks the merchant: what was read with the payment, if that waited for a
    lock, dates from before the wait. Raises CustomerFrozen, MerchantInactive.
    """
    suspended = Merchant.objects.filter(pk=payee_id, status=MerchantStatus.SUSPENDED)
    customer: Any = Customer.objects.annotate(is_refused=Exists(suspended)).locked(customer_id)
    customer.refuse_frozen()
    if customer.is_refused:
        raise MerchantInactive
    return customer  # type: ignore[no-any-return]  # with a column more


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
def freeze_by_owner(*, customer_id: str, since: datetime, now: datetime) -> None:
    """Freeze a customer who denies a change; remove PIN, passkeys and e-mail set since then.

    The customer is told once, but not at an address that this removes.

    Once unfrozen, they would be a thief's keys, and the thief would be told of what the owner does.
    Pressed again, a link does not freeze anew: what staff were asked since then would be void, each
    time. A freeze on the customer's own page, which may be a thief's, does not count as one by the
    link. Raises CustomerNotFound, CustomerErased.
    """
    actor, cause = f"customer:{customer_id}", "By the link in a message: this was not me."
    customer = Customer.objects.locked(customer_id)
    customer.refuse_erased()
    is_first = customer.frozen_at is None or not was_frozen_because(cause, customer_id)
    if is_first:
        freeze(customer_id=customer_id, actor=actor, cause=cause, now=now)
    customer.passkeys.filter(created_at__gte=since).remove(now)
    no_pin = {"pin_hash": "", "pin_set_at": None, "pin_failures": 0, "pin_locked_until": None}
    if Customer.objects.filter(pk=customer_id, pin_set_at__gte=since).update(**no_pin):
        note_new_proof(customer_id, now=now)
    if forget_new_email(customer, since=since, actor=actor, cause=cause, now=now):
        customer.email = ""
    if is_first:
        plan_notice(customer, SecurityChange.FROZEN, now=now, is_limited=False)


def forget_new_email(
    customer: Customer, *, since: datetime, actor: str, cause: str, now: datetime
) -> bool:
    """Remove an e-mail address that was set since then, in the transaction of a freeze.

    Returns whether there was one.
    """
    set_at = email_set_at(customer.pk)
    is_new = bool(customer.email) and set_at is not None and set_at >= since
    if is_new:
        Customer.objects.filter(pk=customer.pk).update(email="")
        record_change(customer.pk, AccountChange.EMAIL_REMOVED, actor=actor, cause=cause, now=now)
    return is_new


@transaction.atomic
def unfreeze(*, customer_id: str, actor: str, now: datetime) -> Customer:
    """Let a frozen customer sign in and pay again. Raises CustomerNotFound, CustomerErased.

    A session that was opened at the instant of the freeze ends here: it may be a thief's. For a
    customer who is not frozen nothing ends, least of all the link in a notice of a change.
    """
    customer = Customer.objects.locked(customer_id)
    customer.refuse_erased()
    if customer.frozen_at is None:
        return customer
    customer.frozen_at, customer.updated_at = None, now
    customer.save(update_fields=["frozen_at", "updated_at"])
    CustomerSession.objects.end_others(customer.pk, None, now=now)
    record_change(customer.pk, AccountChange.UNFROZEN, actor=actor, now=now)
    return customer


def _fill_test_wallet(customer: Customer, account: Account, least: int, now: datetime) -> None:
    """Raises ValueError for a live wallet: this is money that no one paid."""
    if account.livemode:
        raise ValueError("Test money is for test wallets.")
    lock(account)
    account.refresh_from_db()
    if account.balance < least:
        top_up(
            customer=customer,
            amount=max(TEST_WALLET_AMOUNT, least) - account.balance,
            currency=account.currency,
            now=now,
            description="Test money",
        )
