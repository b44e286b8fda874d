"""What customers do in the browser, in the words of the page."""

import re
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from core.clock import utc_now
from customers.models import CustomerSession
from payments.models import Payment
from tests.checkout.shopper import signed_in_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

PHONE, NEW_PHONE = "+1 242 555 0100", "+1 242 555 0188"


def open_signed_in(
    open_page: "Callable[..., Any]", payment: Payment, phone: str = PHONE, **options: Any
) -> Any:
    """Open the step after phone and code as someone who has entered both without a browser.

    A page that a browser shows costs as much as several tests without one: `sign_in` shows three.
    """
    shopper = signed_in_at(payment, phone)
    return open_page(shopper.path, cookies=shopper.client.cookies, **options)


def sign_in(page: "Page", phone: str = PHONE) -> None:
    """From the review page to the next step."""
    page.get_by_role("button", name=re.compile("^Pay ")).click()
    page.get_by_label("Phone number").fill(phone)
    page.get_by_role("button", name="Text me a code").click()
    page.get_by_label("Code").fill("000000")
    page.get_by_role("button", name="Continue").click()


def press(page: "Page", name: str) -> None:
    """Press the button whose name begins so once the script of its page has run.

    A press while the page settles does not count, and no later one comes.
    """
    button = page.get_by_role("button", name=re.compile(f"^{re.escape(name)}"))
    button.wait_for()
    page.wait_for_load_state("domcontentloaded")
    button.click()


def enter_pin(page: "Page", pin: str = "1234", button: str = "Pay ") -> None:
    page.get_by_label("PIN", exact=True).fill(pin)
    press(page, button)


def add_passkey(page: "Page") -> None:
    """Make the first passkey, which pays at once."""
    page.get_by_role("button", name="Create a passkey and pay B$").click()


def see_paid(page: "Page") -> None:
    page.get_by_role("heading", name="Paid", exact=True).wait_for()


def stop_clock(page: "Page") -> None:
    """Let the page's clock go on by `run_for` alone, however busy the machine is.

    It stops at an instant that is still to come, also where this takes seconds.
    """
    page.clock.install()
    page.clock.pause_at(utc_now() + timedelta(seconds=10))


def sessions() -> list[CustomerSession]:
    """Return the sessions of customers, the first one first."""
    return list(CustomerSession.objects.order_by("created_at"))


def status_of(payment: Payment) -> str:
    """Return the status that a payment has by now."""
    payment.refresh_from_db()
    return payment.status
