"""What the tests of funding use."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests.factories import PaymentFactory

if TYPE_CHECKING:
    from payments.models import Payment


@pytest.fixture(autouse=True)
def offered(settings) -> None:
    """A service that takes transfers and cash."""
    settings.PAYOUT_DEBTOR_ACCOUNT = "000777"
    settings.FUNDING_CASH_PLACE = "12 Bay Street"


@pytest.fixture
def payment_of(merchant) -> "Callable[..., Payment]":
    """Create a test payment of an amount."""
    return lambda amount, **more: PaymentFactory(merchant=merchant, amount=amount, **more)
