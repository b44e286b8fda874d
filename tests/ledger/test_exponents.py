"""The decimals of an account: stored when it is opened, never changed, checked at each posting."""

from collections.abc import Iterator

import pytest
from django.db import IntegrityError, connection
from django.db.migrations.executor import MigrationExecutor

from core import currencies
from ledger.models import Account, Purpose
from ledger.services import balance_of
from ledger.triggers import check_triggers
from tests.ledger.funding import move, opened, problems
from tests.nights import RELEASED

pytestmark = pytest.mark.django_db

BEFORE = ("ledger", "0002_append_only")
AFTER = ("ledger", "0003_account_exponent")


@pytest.mark.parametrize(("currency", "exponent"), [("BSD", 2), ("JPY", 0), ("IQD", 3), ("UYW", 4)])
def test_an_account_remembers_the_decimals_of_its_currency(currency: str, exponent: int) -> None:
    opened(Purpose.WALLET, holding=100, currency=currency)

    assert {account.exponent for account in Account.objects.all()} == {exponent}
    assert problems() == []


def test_no_account_is_opened_in_what_is_no_currency() -> None:
    with pytest.raises(KeyError):
        opened(Purpose.WALLET, currency="XAU")


def test_nothing_is_posted_after_the_decimals_of_a_currency_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wallet, merchant = opened(Purpose.WALLET, holding=100), opened(Purpose.MERCHANT)
    monkeypatch.setattr("core.money.EXPONENTS", {**currencies.EXPONENTS, "BSD": 3})

    with pytest.raises(IntegrityError):
        move(wallet, merchant, 10)

    assert (balance_of(wallet), balance_of(merchant)) == (100, 0)


def test_the_ledger_names_accounts_with_other_decimals(monkeypatch: pytest.MonkeyPatch) -> None:
    wallet = opened(Purpose.WALLET)
    monkeypatch.setattr("ledger.transfer_checks.EXPONENTS", {**currencies.EXPONENTS, "BSD": 3})

    assert problems() == [f"Account {wallet.pk} counts BSD with 2 decimals."]


@pytest.fixture
def as_before() -> Iterator[None]:
    """Take the column away again, and put it back whatever happens."""
    MigrationExecutor(connection).migrate([BEFORE])
    yield
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


@pytest.mark.slow
@pytest.mark.night(RELEASED)
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("as_before")
def test_accounts_that_were_there_get_the_decimals_of_the_standard() -> None:
    before = MigrationExecutor(connection).loader.project_state([BEFORE]).apps
    accounts = before.get_model("ledger", "Account")
    for currency in ("BSD", "JPY", "IQD", "RSD", "BGN"):
        accounts.objects.create(
            owner="cus_1", purpose="wallet", currency=currency, livemode=True, balance=1_250
        )

    MigrationExecutor(connection).migrate([AFTER])

    rows = Account.objects.order_by("currency").values_list("currency", "exponent", "balance")
    assert list(rows) == [
        ("BGN", 2, 1_250),
        ("BSD", 2, 1_250),
        ("IQD", 3, 1_250),
        ("JPY", 0, 1_250),
        ("RSD", 2, 1_250),
    ]
    assert not [wrong for wrong in check_triggers() if "account" in wrong]
    with pytest.raises(IntegrityError):
        Account.objects.update(exponent=0)
