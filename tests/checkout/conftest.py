"""What the tests of the checkout use."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from django.utils import translation

from tests.factories import PaymentFactory

if TYPE_CHECKING:
    from payments.models import Payment


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    """Forget the language of the last page, which stays with its thread until the next request."""
    yield
    translation.deactivate()


@pytest.fixture
def payment_of(merchant) -> "Callable[..., Payment]":
    """Create a payment of an amount: `payment_of(150, description="Coffee")`."""
    return lambda amount, **more: PaymentFactory(merchant=merchant, amount=amount, **more)
