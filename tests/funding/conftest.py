"""What the tests of funding use."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from django.utils import translation

from tests.factories import PaymentFactory

if TYPE_CHECKING:
    from payments.models import Payment


@pytest.fixture(autouse=True)
def offered(settings) -> None:
    """A service that takes transfers and cash."""
    settings.PAYOUT_DEBTOR_ACCOUNT = "000777"
    settings.FUNDING_CASH_PLACE = "12 Bay Street"


@pytest.fixture(autouse=True)
def english_after() -> Iterator[None]:
    """Forget the language of the last page, which stays with its thread until the next request."""
    yield
    translation.deactivate()


@pytest.fixture
def payment_of(merchant) -> "Callable[..., Payment]":
    """Create a test payment of an amount."""
    return lambda amount, **more: PaymentFactory(merchant=merchant, amount=amount, **more)
