"""How often a customer presses until it is paid, as the browser counts it.

Decision 221 has the table of these figures.
"""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.checkout.held_passkeys import paid_with_passkey
from tests.checkout.steps import NEW_PHONE, add_passkey, enter_pin, press, see_paid, sign_in
from tests.chromium import add_authenticator
from tests.customers.authenticator import VirtualAuthenticator
from tests.nights import at_night

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
COUNT = (
    """addEventListener("click", (event) => { if (event.isTrusted) window.pressed(); }, true);"""
)
SMALL, MIDDLE, LARGE = 150, 1_250, 12_500
ONE_AMOUNT = "by day one amount; what each asks for is tested without a browser as well"


class Counted:
    """A browser with a passkey device, whose presses and dialogs are counted."""

    def __init__(self, page: Page, held: VirtualAuthenticator | None = None) -> None:
        self.page = page
        self.presses = self.dialogs = 0
        devtools, _device = add_authenticator(page, held=held)
        for event in ("WebAuthn.credentialAdded", "WebAuthn.credentialAsserted"):
            devtools.on(event, self._note_dialog)
        page.context.expose_function("pressed", self._note_press)
        page.add_init_script(COUNT)

    def _note_press(self) -> None:
        self.presses += 1

    def _note_dialog(self, _event: object) -> None:
        self.dialogs += 1

    def pay(self, address: str, act: Callable[[Page], None]) -> tuple[int, int]:
        """Open a payment, do what pays it, and return the presses and dialogs that it took."""
        self.page.goto(address)
        self.presses = self.dialogs = 0
        act(self.page)
        see_paid(self.page)
        return self.presses, self.dialogs


@pytest.fixture
def counted(open_page) -> Counted:
    return Counted(open_page("/healthz"))


@pytest.fixture
def known(open_page, payment_of, site) -> Counted:
    """A browser in which a customer is signed in, whose passkey has paid."""
    shopper, held = paid_with_passkey(payment_of(LARGE), site)
    return Counted(open_page("/healthz", cookies=shopper.client.cookies), held)


@pytest.fixture
def address_of(payment_of, site):
    return lambda amount: site + payment_of(amount).hosted_url


def press_pay(page: Page) -> None:
    press(page, "Pay B$")


def first_without_proof(page: Page) -> None:
    sign_in(page, NEW_PHONE)
    press_pay(page)


def first_with_pin(page: Page) -> None:
    sign_in(page, NEW_PHONE)
    enter_pin(page)


def first_with_passkey(page: Page) -> None:
    sign_in(page, NEW_PHONE)
    add_passkey(page)


@pytest.mark.parametrize(
    ("amount", "act", "expected"),
    [
        (LARGE, first_with_passkey, (4, 1)),
        *at_night(
            (SMALL, first_without_proof, (4, 0)),
            (MIDDLE, first_with_pin, (4, 0)),
            why=ONE_AMOUNT,
        ),
    ],
    ids=["passkey", "none", "pin"],
)
def test_the_first_time_takes_phone_code_and_one_gesture(
    counted, address_of, amount, act, expected
):
    """Pay, Text me a code, Continue; and the press that pays."""
    assert counted.pay(address_of(amount), act) == expected


@pytest.mark.parametrize(
    ("amount", "act"),
    [(MIDDLE, enter_pin), *at_night((SMALL, press_pay), why=ONE_AMOUNT)],
)
def test_who_is_signed_in_presses_once(counted, address_of, amount, act):
    counted.pay(address_of(MIDDLE), first_with_pin)

    assert counted.pay(address_of(amount), act) == (1, 0)


@pytest.mark.parametrize(
    ("amount", "dialogs"),
    [(MIDDLE, 1), *at_night((SMALL, 0), (LARGE, 1), why=ONE_AMOUNT)],
)
def test_who_has_a_passkey_here_presses_once(known, address_of, amount, dialogs):
    assert known.pay(address_of(amount), press_pay) == (1, dialogs)


@pytest.mark.parametrize("amount", [SMALL, *at_night(MIDDLE, LARGE, why=ONE_AMOUNT)])
def test_a_known_device_that_is_signed_out_presses_once(known, address_of, amount):
    known.page.context.clear_cookies(name="customer-test")

    assert known.pay(address_of(amount), press_pay) == (1, 1)
