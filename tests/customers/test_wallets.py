"""The wallets of test customers do not run empty, and no other is filled."""

from datetime import datetime

import pytest

from customers.models import Customer
from customers.services import _fill_test_wallet, fill_test_wallet, test_customer, wallet
from customers.tasks import refill_wallets
from ledger.models import Account
from ledger.services import balance_of
from merchants.models import Merchant
from tests.factories import CustomerFactory

pytestmark = pytest.mark.django_db


def set_balance(customer: Customer, balance: int) -> None:
    Account.objects.filter(pk=wallet(customer, "BSD").pk).update(balance=balance)


@pytest.mark.parametrize(("left", "then"), [(0, 10_000_000), (1, 1), (999_999, 999_999)])
def test_a_test_customer_is_funded_again_when_nothing_is_left(
    merchant: Merchant, now: datetime, left: int, then: int
) -> None:
    customer = test_customer(None, now, merchant_id=merchant.id)
    set_balance(customer, left)

    assert test_customer(None, now, merchant_id=merchant.id) == customer
    assert balance_of(wallet(customer, "BSD")) == then
    assert customer.phone == "+12425550100"


@pytest.mark.parametrize(
    ("left", "then"), [(0, 10_000_000), (999_999, 10_000_000), (1_000_000, 1_000_000)]
)
def test_a_test_wallet_that_runs_low_is_filled_up(
    merchant: Merchant, now: datetime, left: int, then: int
) -> None:
    customer = test_customer(None, now, merchant_id=merchant.id)
    set_balance(customer, left)

    refill_wallets()

    assert balance_of(wallet(customer, "BSD")) == then


def test_no_one_elses_wallet_is_filled_up(
    merchant: Merchant, payer: Customer, now: datetime
) -> None:
    poor = test_customer("+1 242 555 0101", now, merchant_id=merchant.id)
    wallets = [wallet(customer, "BSD") for customer in (poor, payer)]

    assert refill_wallets() == 0
    assert [balance_of(account) for account in wallets] == [0, 0]


def test_a_customer_whose_wallet_is_filled_is_found_by_one_statement(
    merchant: Merchant, now: datetime, django_assert_num_queries
) -> None:
    customer = test_customer(None, now, "USD", merchant_id=merchant.id)

    test_customer(None, now, "BSD", merchant_id=merchant.id)

    assert balance_of(wallet(customer, "BSD")) == 10_000_000
    for currency in ("USD", "BSD"):
        with django_assert_num_queries(1):
            found = test_customer(None, now, currency, merchant_id=merchant.id, least=10_000_000)
        assert found == customer


@pytest.mark.parametrize("least", [1, 10_000_001])
def test_a_wallet_that_another_has_filled_meanwhile_is_not_filled_again(
    merchant: Merchant, now: datetime, least: int
) -> None:
    customer = test_customer(None, now, merchant_id=merchant.id, least=least)
    read_before = wallet(customer, "BSD")
    read_before.balance = 0

    _fill_test_wallet(customer, read_before, least, now)

    assert balance_of(wallet(customer, "BSD")) == max(10_000_000, least)


def test_each_merchants_customer_of_a_phone_is_funded(
    merchant: Merchant, stranger: Merchant, now: datetime
) -> None:
    rich = test_customer(None, now, merchant_id=stranger.id)
    customer = test_customer(None, now, merchant_id=merchant.id)
    set_balance(customer, 0)

    test_customer(None, now, merchant_id=merchant.id)

    assert [balance_of(wallet(one, "BSD")) for one in (customer, rich)] == [10_000_000] * 2


def test_only_test_wallets_are_filled_up(
    merchant: Merchant, now: datetime, caplog: pytest.LogCaptureFixture
) -> None:
    test_customer(None, now, merchant_id=merchant.id)  # the account it is filled from is low

    assert refill_wallets() == 0
    assert caplog.records == []


def test_a_live_wallet_gets_no_test_money(now: datetime) -> None:
    customer = CustomerFactory(livemode=True, merchant=None)

    with pytest.raises(ValueError, match="for test wallets"):
        fill_test_wallet(customer, "BSD", least=1, now=now)

    assert balance_of(wallet(customer, "BSD")) == 0
