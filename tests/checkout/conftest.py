"""A real Chromium against the real service, for the tests marked `browser`."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.factories import PaymentFactory
from tests.machine import need

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

CHROMIUM = "chromium"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture
def payment_of(merchant) -> Callable[..., "PaymentFactory"]:
    """Create a payment of an amount: `payment_of(150, description="Coffee")`."""
    return lambda amount, **more: PaymentFactory(merchant=merchant, amount=amount, **more)
