"""Accounts and their balances."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ledger.models import Account, Purpose, Transfer, TransferKind
from ledger.sealing import seal_transfers
from ledger.services import account_for, accounts_for, balance_of, balances, close_period
from tests.ledger.funding import NOW, move, opened

pytestmark = pytest.mark.django_db


def test_it_opens_an_account_once() -> None:
    first = account_for(owner="cus_1", purpose=Purpose.WALLET, currency="BSD", livemode=False)
    again = account_for(owner="cus_1", purpose=Purpose.WALLET, currency="BSD", livemode=False)

    assert first == again
    assert first.balance == 0
    assert Account.objects.count() == 1


def test_owner_purpose_currency_and_mode_each_make_another_account() -> None:
    opened(Purpose.WALLET, "cus_1")
    opened(Purpose.WALLET, "cus_2")
    opened(Purpose.MERCHANT, "cus_1")
    opened(Purpose.WALLET, "cus_1", currency="USD")
    opened(Purpose.WALLET, "cus_1", livemode=True)

    assert Account.objects.count() == 5


@pytest.mark.parametrize("hold", [True, False])
def test_only_those_that_are_held_are_read_in_the_order_of_locks(hold: bool) -> None:
    asked = [("cus_1", Purpose.WALLET), ("mer_1", Purpose.MERCHANT)]
    wallet, merchant = (opened(purpose, owner) for owner, purpose in asked)

    with CaptureQueriesContext(connection) as statements:
        found = accounts_for(*asked, currency="BSD", livemode=False, hold=hold)

    assert found == (wallet, merchant)
    [sql] = [statement["sql"] for statement in statements]
    assert ("ORDER BY CASE" in sql) is hold
    locks = connection.features.has_select_for_update
    assert ("FOR NO KEY UPDATE" in sql) is (hold and locks)


def test_it_returns_several_accounts_in_the_order_asked_for() -> None:
    wallet = opened(Purpose.WALLET, "cus_1")

    merchant, found, fees = accounts_for(
        ("mer_1", Purpose.MERCHANT),
        ("cus_1", Purpose.WALLET),
        ("mer_1", Purpose.FEES),
        currency="BSD",
        livemode=False,
    )

    assert found == wallet
    assert (merchant.owner, merchant.purpose) == ("mer_1", "merchant")
    assert (fees.owner, fees.purpose) == ("mer_1", "fees")


def test_it_finds_several_accounts_by_one_statement() -> None:
    opened(Purpose.WALLET, "cus_1")
    opened(Purpose.MERCHANT, "mer_1")

    with CaptureQueriesContext(connection) as statements:
        accounts_for(
            ("mer_1", Purpose.MERCHANT),
            ("cus_1", Purpose.WALLET),
            currency="BSD",
            livemode=False,
        )

    assert len(statements) == 1


def test_the_balance_is_the_same_before_and_after_sealing() -> None:
    wallet, merchant = opened(Purpose.WALLET, holding=1_000), opened(Purpose.MERCHANT)
    move(wallet, merchant, 300)
    move(merchant, wallet, 100, TransferKind.REFUND)
    accounts = (wallet, merchant, opened(Purpose.FUNDING, "house"))
    before = [balance_of(account) for account in accounts]

    seal_transfers(now=NOW)

    assert before == [800, 200, -1_000]
    assert [balance_of(account) for account in accounts] == before
    move(wallet, merchant, 1)
    assert [balance_of(account) for account in accounts] == [799, 201, -1_000]


def test_it_reads_a_balance_by_one_statement() -> None:
    merchant = opened(Purpose.MERCHANT, holding=50)

    with CaptureQueriesContext(connection) as statements:
        balance = balance_of(merchant)

    assert (balance, type(balance), len(statements)) == (50, int, 1)


def test_it_reads_the_balances_of_an_owner_by_currency() -> None:
    opened(Purpose.MERCHANT, "mer_1", holding=50)
    opened(Purpose.MERCHANT, "mer_1", holding=70, currency="USD")
    opened(Purpose.MERCHANT, "mer_1", holding=90, livemode=True)
    opened(Purpose.MERCHANT, "mer_2", holding=11)
    opened(Purpose.PAYOUTS, "mer_1", holding=13)

    found = balances(owner="mer_1", purpose=Purpose.MERCHANT, livemode=False)

    assert found == {"BSD": 50, "USD": 70}
    assert all(type(balance) is int for balance in found.values())


def test_it_holds_more_than_any_single_payment() -> None:
    merchant = opened(Purpose.MERCHANT)
    for _ in range(3):
        move(opened(Purpose.FUNDING, "house"), merchant, 10**18, TransferKind.TOP_UP)

    assert balance_of(merchant) == 3 * 10**18


def test_what_is_posted_after_a_period_was_closed_is_dated_after_it() -> None:
    merchant, other = opened(Purpose.MERCHANT), opened(Purpose.WALLET, holding=20)
    end = NOW + timedelta(days=1)
    close_period(merchant, end)
    close_period(merchant, NOW)  # what is closed stays so

    merchant.refresh_from_db()
    reference = move(other, merchant, 10)

    assert merchant.closed_until == end
    assert Transfer.objects.get(reference=reference).created_at == end
    other.refresh_from_db()
    assert other.closed_until is None
