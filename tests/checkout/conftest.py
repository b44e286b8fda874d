"""A real Chromium against the real service, for the tests marked `browser`."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from tests.checkout.chromium import Watched, launched
from tests.factories import PaymentFactory
from tests.machine import need

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from payments.models import Payment


@pytest.fixture
def payment_of(merchant) -> "Callable[..., Payment]":
    """Create a payment of an amount: `payment_of(150, description="Coffee")`."""
    return lambda amount, **more: PaymentFactory(merchant=merchant, amount=amount, **more)


@pytest.fixture(scope="session")
def chromium() -> "Iterator[Browser]":
    """One browser for the run; each test gets profiles of its own."""
    need("chromium", "Chromium")
    with launched() as browser:
        yield browser


@pytest.fixture
def site(live_server, settings) -> str:
    """The service, listening; its own idea of its address is the true one."""
    address = live_server.url.replace("127.0.0.1", "localhost")
    settings.BASE_URL = settings.CHECKOUT_URL = address
    settings.CSRF_TRUSTED_ORIGINS = [address]
    return address


@pytest.fixture
def open_page(chromium, site) -> "Iterator[Callable[..., Page]]":
    """Open a page in a new profile: `open_page("/checkout/…", width=360, javascript=False)`.

    When the test ends, nothing may have gone to another host, been refused by the policy, or
    failed in the script.
    """
    watched = Watched(chromium, site)
    yield watched.open
    watched.close()
