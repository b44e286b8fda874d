"""What the tests of payouts start from."""

from typing import Any

import pytest

from core.clock import utc_now
from merchants.models import Merchant
from payouts.bank_accounts import BankDetails, open_bank_account
from payouts.models import BankAccount, Payout
from tests.client import Api
from tests.payouts.batching import batch_of, live_payout
from tests.payouts.merchant_balance import credit

DETAILS = BankDetails(
    currency="BSD",
    holder_name="Conch Shack Ltd",
    bank_name="Bank of the Islands",
    number="1234 5678 9012",
    bic="BOTIBSNSXXX",
    clearing_code="77005",
)


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


@pytest.fixture
def sent_pair(api: Api, settings: Any) -> list[Payout]:
    """Two live payouts of 1250 and 800 that have left in one batch, from the account 000777."""
    settings.PAYOUT_DEBTOR_ACCOUNT, settings.PAYOUT_DEBTOR_BIC = "000 777", "BOTIBSNS"
    payouts = [live_payout(api, amount=1250), live_payout(api, amount=800)]
    batch_of()
    return [Payout.objects.get(pk=payout.pk) for payout in payouts]
