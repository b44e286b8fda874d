"""What the tests of the checkout use."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests.factories import PaymentFactory

if TYPE_CHECKING:
    from payments.models import Payment


@pytest.fixture
def payment_of(merchant) -> "Callable[..., Payment]":
    """Create a payment of an amount: `payment_of(150, description="Coffee")`."""
    return lambda amount, **more: PaymentFactory(merchant=merchant, amount=amount, **more)
