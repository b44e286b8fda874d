"""What the tests of payouts start from."""

from collections.abc import Iterator

import pytest
from django.test import override_settings
from pytest_django import DjangoDbBlocker, Settings

from core.clock import utc_now
from merchants.models import Merchant
from payouts.bank_accounts import BankDetails, open_bank_account
from payouts.models import BankAccount, Payout
from tests.client import Api
from tests.payouts.batching import batch_of, live_payout
from tests.payouts.merchant_balance import credit
from tests.shared_rows import shared

DETAILS = BankDetails(
    currency="BSD",
    holder_name="Conch Shack Ltd",
    bank_name="Bank of the Islands",
    number="1234 5678 9012",
    bic="BOTIBSNSXXX",
    clearing_code="77005",
)
DEBTOR = {"PAYOUT_DEBTOR_ACCOUNT": "000 777", "PAYOUT_DEBTOR_BIC": "BOTIBSNS"}


@pytest.fixture
def payout(api: Api, merchant: Merchant) -> Payout:
    """A scheduled test payout of all there was: 1250 BSD."""
    credit(merchant, 1250)
    response = api(merchant).post("/v1/payouts", {})
    assert response.status_code == 201, response.content
    return Payout.objects.get()


@pytest.fixture
def bank_account(merchant: Merchant) -> BankAccount:
    """The live bank account of the merchant."""
    return open_bank_account(
        merchant_id=merchant.id, livemode=True, details=DETAILS, actor="staff:ann", now=utc_now()
    )


def send_pair() -> list[Payout]:
    """Let two live payouts of 1250 and 800 leave in one batch, from the account 000777."""
    with override_settings(**DEBTOR):
        payouts = [live_payout(Api(), amount=1250), live_payout(Api(), amount=800)]
        batch_of()
    return payouts


@pytest.fixture(scope="module")
def sent_rows(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[list[Payout]]:
    """The pair, made once for all tests of a file: what each changes of it is undone."""
    with shared(django_db_blocker, send_pair) as payouts:
        yield payouts


@pytest.fixture
def sent_pair(sent_rows: list[Payout], db: None, settings: Settings) -> list[Payout]:
    """Two live payouts that have left. A file whose tests commit has its own fixture instead."""
    return _as_they_are(sent_rows, settings)


@pytest.fixture
def own_sent_pair(db: None, settings: Settings) -> list[Payout]:
    """The pair, made for this test alone, in a file of which some tests commit."""
    return _as_they_are(send_pair(), settings)


def _as_they_are(payouts: list[Payout], settings: Settings) -> list[Payout]:
    for name, value in DEBTOR.items():
        setattr(settings, name, value)
    return [Payout.objects.get(pk=payout.pk) for payout in payouts]
