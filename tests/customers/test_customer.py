"""Customers are found by phone and mode; test customers appear with money."""

from datetime import datetime, timedelta
from functools import partial

import pytest
from django.db import IntegrityError, transaction

from core.clock import utc_now
from core.errors import InvalidAmount, ValidationFailed
from core.ids import is_id
from customers.errors import CustomerFrozen, CustomerNotFound
from customers.magic_phones import MAGIC_PHONES, Behaviour, behaviour_of, is_protected
from customers.models import Customer, CustomerSession
from customers.pins import set_pin
from customers.services import (
    find_or_create,
    freeze,
    lock_payer,
    test_customer,
    top_up,
    unfreeze,
    wallet,
)
from ledger.models import Account, Purpose, Transfer, TransferKind
from ledger.services import balance_of
from merchants.errors import MerchantInactive
from merchants.models import Merchant
from tests.customers.guessing import check
from tests.races import at_once

pytestmark = pytest.mark.django_db


def test_it_finds_the_customer_it_made(now: datetime) -> None:
    customer = find_or_create(phone="+1 242 359 1234", now=now)
    again = find_or_create(phone="(242) 359-1234", now=now + timedelta(days=1))

    assert again == customer
    assert is_id("cus", customer.id)
    assert (customer.phone, customer.livemode) == ("+12423591234", True)
    assert again.created_at == again.updated_at == now
    assert (again.frozen_at, again.has_pin) == (None, False)


def test_a_live_customer_needs_a_phone_that_receives_texts(now: datetime) -> None:
    with pytest.raises(ValidationFailed):
        find_or_create(phone="+44 20 7946 0958", now=now)  # a landline


def test_each_mode_has_a_customer_of_its_own(merchant: Merchant, now: datetime) -> None:
    live = find_or_create(phone="+12423591234", now=now)
    test = test_customer("+12423591234", now, merchant_id=merchant.id)

    assert live.id != test.id
    assert test.has_pin


def test_the_database_refuses_a_second_customer_of_a_phone(payer: Customer, now: datetime) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Customer.objects.create(
            id="cus_other", phone=payer.phone, livemode=True, created_at=now, updated_at=now
        )


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_racing_first_calls_make_one_customer_with_one_wallet(merchant: Merchant) -> None:
    call = partial(test_customer, "+12425550123", utc_now(), merchant_id=merchant.id)
    made = at_once([call] * 12)

    assert {getattr(customer, "id", customer) for customer in made} == {Customer.objects.get().id}
    assert Transfer.objects.count() == 1
    assert Account.objects.get(purpose=Purpose.WALLET).balance == 10_000_000


def test_a_test_customer_has_money_from_the_funding_account(
    merchant: Merchant, now: datetime
) -> None:
    customer = test_customer("+1 242 555 0123", now, merchant_id=merchant.id)

    assert balance_of(wallet(customer, "BSD")) == 10_000_000
    transfer = Transfer.objects.get()
    assert (transfer.kind, transfer.livemode) == (TransferKind.TOP_UP, False)
    assert transfer.debit_account.purpose == Purpose.FUNDING
    assert balance_of(transfer.debit_account) == -10_000_000


def test_a_test_customer_has_money_of_the_currency_asked_for(
    merchant: Merchant, now: datetime
) -> None:
    customer = test_customer(None, now, "USD", merchant_id=merchant.id)

    assert balance_of(wallet(customer, "USD")) == 10_000_000
    assert balance_of(wallet(customer, "BSD")) == 0


def test_the_customer_with_too_little_money_has_none(merchant: Merchant, now: datetime) -> None:
    customer = test_customer("+1 242 555 0101", now, merchant_id=merchant.id)

    assert balance_of(wallet(customer, "BSD")) == 0
    assert Transfer.objects.count() == 0


def test_a_test_customer_needs_a_phone_number(merchant: Merchant, now: datetime) -> None:
    with pytest.raises(ValidationFailed):
        test_customer("not a phone", now, merchant_id=merchant.id)


@pytest.mark.parametrize(("phone", "behaviour"), MAGIC_PHONES.items())
def test_a_magic_phone_works_its_magic_in_test_mode_only(
    merchant: Merchant, phone: str, behaviour: Behaviour, now: datetime
) -> None:
    test = test_customer(phone, now, merchant_id=merchant.id)
    live = Customer(id="cus_live", phone=phone, livemode=True)

    assert behaviour_of(test) == behaviour
    assert behaviour_of(live) == Behaviour.NORMAL
    assert is_protected(live)
    assert is_protected(test) is (phone == "+12425550107")


def test_any_other_phone_is_normal(tester: Customer) -> None:
    assert behaviour_of(tester) == Behaviour.NORMAL


def test_a_top_up_is_a_transfer(payer: Customer, now: datetime) -> None:
    transaction_id = top_up(
        customer=payer, amount=1_250, currency="BSD", now=now, description="At the desk"
    )

    transfer = Transfer.objects.get(transaction_id=transaction_id)
    assert (transfer.amount, transfer.currency, transfer.livemode) == (1_250, "BSD", True)
    assert (transfer.kind, transfer.description) == (TransferKind.TOP_UP, "At the desk")
    assert transfer.reference == transaction_id
    assert balance_of(wallet(payer, "BSD")) == 1_250
    named = {"reference": "top_1", "transaction_id": "txn_1"}
    assert top_up(customer=payer, amount=1, currency="BSD", now=now, **named) == "txn_1"
    assert Transfer.objects.get(transaction_id="txn_1").reference == "top_1"


@pytest.mark.parametrize("amount", [0, -1, 100_000_000_000])
def test_a_top_up_needs_an_amount(payer: Customer, now: datetime, amount: int) -> None:
    with pytest.raises(InvalidAmount):
        top_up(customer=payer, amount=amount, currency="BSD", now=now)

    assert Transfer.objects.count() == 0


def test_a_frozen_customer_is_refused_until_unfrozen(payer: Customer, now: datetime) -> None:
    lock_payer(payer.id, payee_id="")
    frozen = freeze(customer_id=payer.id, actor="staff:ada", now=now)

    assert frozen.frozen_at == now
    with pytest.raises(CustomerFrozen) as refusal:
        lock_payer(payer.id, payee_id="")
    assert refusal.value.code == "VERIFICATION_FAILED"

    unfreeze(customer_id=payer.id, actor="staff:ada", now=now)
    assert lock_payer(frozen.id, payee_id="").frozen_at is None


@pytest.mark.parametrize("change", [freeze, unfreeze])
def test_an_unknown_customer_is_not_found(now: datetime, change: object) -> None:
    with pytest.raises(CustomerNotFound):
        change(customer_id="cus_none", actor="staff:ada", now=now)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("livemode", "own", "asked", "pays"),
    [
        (True, None, "mer_a", True),
        (True, None, None, True),
        (False, "mer_a", "mer_a", True),
        (False, "mer_a", "mer_b", False),
        (False, None, None, False),
    ],
)
def test_whom_a_customer_may_pay(
    livemode: bool, own: str | None, asked: str | None, pays: bool
) -> None:
    customer = Customer(livemode=livemode, merchant_id=own, phone="+12425550100")
    session = CustomerSession(customer=customer, payment_id="pay_1")

    assert customer.may_pay(asked) is pays
    assert session.is_good_for("pay_1", asked or own) is pays
    assert not session.is_good_for("pay_2", asked or own)
    session.payment_id = ""
    assert session.is_good_for("pay_2", asked or own) is pays


def test_the_page_of_a_customers_own_names_no_merchant() -> None:
    customer = Customer(livemode=False, merchant_id="mer_a", phone="+12425550100")

    assert CustomerSession(customer=customer).is_good_for("", None)


def test_what_is_shown_of_a_phone_and_a_pin(now: datetime) -> None:
    live = Customer(livemode=True, phone="+12425550100")
    assert (live.masked_phone, live.has_pin) == ("+1 242 ••• 0100", False)
    live.erased_at, live.pin_hash = now, "x"
    assert (live.masked_phone, live.has_pin) == ("•••", True)


def test_the_live_customer_of_a_phone(merchant: Merchant, now: datetime) -> None:
    test_customer("+12423591234", now, merchant_id=merchant.id)
    find_or_create(phone="+12423595678", now=now)
    with pytest.raises(CustomerNotFound):
        Customer.objects.live_by_phone("+12423591234")
    live = find_or_create(phone="+12423591234", now=now)

    assert Customer.objects.live_by_phone("+12423591234") == live


def test_a_first_pin_is_given_to_no_one_else(
    merchant: Merchant, stranger: Merchant, payer: Customer, now: datetime
) -> None:
    first, second = (test_customer(None, now, merchant_id=one.id) for one in (merchant, stranger))
    other = find_or_create(phone="+12423595678", now=now)

    check(first, "1234", now)
    set_pin(customer_id=payer.pk, pin="8305", now=now)

    for customer in (second, other):
        customer.refresh_from_db()
        assert (customer.pin_hash, customer.pin_set_at) == ("", None)
    first.refresh_from_db()
    assert first.pin_set_at == now


def test_the_merchant_who_is_paid_is_looked_at_too(
    merchant: Merchant, stranger: Merchant, payer: Customer
) -> None:
    Merchant.objects.filter(pk=stranger.pk).update(status="suspended")
    assert lock_payer(payer.pk, payee_id=merchant.pk) == payer

    with pytest.raises(MerchantInactive):
        lock_payer(payer.pk, payee_id=stranger.pk)


def test_who_has_an_address_is_found_by_it_and_no_one_by_none(
    payer: Customer, tester: Customer
) -> None:
    Customer.objects.filter(pk=payer.pk).update(email="Ada@example.com")

    assert list(Customer.objects.with_email("ada@EXAMPLE.com")) == [payer]
    assert list(Customer.objects.with_email("")) == []
