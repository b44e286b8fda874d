"""What the tests of refunds start from."""

import pytest

from payments.models import Payment
from refunds.models import Refund
from tests.payouts.merchant_balance import credit
from tests.refunds.refunding import refund, sell


@pytest.fixture
def paid(merchant) -> Payment:
    """A completed test payment of 12.50 BSD, without a fee."""
    return sell(merchant, 1_250)


@pytest.fixture
def pending(api, merchant, paid) -> Refund:
    """A refund of all of `paid`, for which a single cent is missing in the balance."""
    credit(merchant, -1)
    assert refund(api, paid).json()["status"] == "pending"
    return Refund.objects.get()
