"""What the tests of the checkout use."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from pytest_django.live_server_helper import LiveServer

from core.clock import utc_now
from customers.models import Customer
from customers.pins import set_pin
from customers.services import find_or_create, top_up
from messages.models import Message
from tests.checkout.own_addresses import asked_by
from tests.checkout.shopper import Shopper
from tests.checkout.thefts import PHONE, PIN, signed_in_to_account
from tests.customers.texts import TextBox
from tests.factories import PaymentFactory

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from payments.models import Payment
    from tests.chromium import Screens


@pytest.fixture
def payment_of(merchant) -> "Callable[..., Payment]":
    """Create a payment of an amount: `payment_of(150, description="Coffee")`."""
    return lambda amount, **more: PaymentFactory(merchant=merchant, amount=amount, **more)


@pytest.fixture(scope="module")
def screens(chromium: "Browser", live_server: LiveServer) -> "Iterator[Screens]":
    from tests.chromium import Screens, address_of

    screens = Screens(chromium, address_of(live_server))
    yield screens
    screens.watched.close()


@pytest.fixture
def screen(screens: "Screens", site: str) -> "Iterator[Callable[..., Page]]":
    """Show a screen in a page that others have used: `screen("review", width=320, locale="fr")`.

    When all tests of the file have ended, the same holds as of `open_page`.
    """
    yield screens.show
    screens.leave()


@pytest.fixture
def victim(db: None) -> Customer:
    """A live customer with a PIN and 10,000.00."""
    customer = find_or_create(phone=PHONE, now=utc_now())
    set_pin(customer_id=customer.id, pin=PIN, now=utc_now())
    Customer.objects.update(proof_changed_at=None)  # set long ago
    top_up(customer=customer, amount=1_000_000, currency="BSD", now=utc_now())
    return Customer.objects.get()


@pytest.fixture
def browser(victim: Customer, texts: TextBox) -> Shopper:
    """A browser that the victim has left signed in, by a code for their own page."""
    return signed_in_to_account(texts)


@pytest.fixture
def owner(db: None) -> Customer:
    """A live customer of long ago, whose PIN is as old."""
    long_ago = utc_now() - timedelta(days=40)
    customer = find_or_create(phone=PHONE, now=long_ago)
    set_pin(customer_id=customer.pk, pin=PIN, now=long_ago)
    Message.objects.all().delete()
    customer.refresh_from_db()
    return customer


@pytest.fixture
def own(owner: Customer, texts: TextBox) -> Shopper:
    """The owner's browser, on the page where the address is named."""
    return asked_by(signed_in_to_account(texts))
