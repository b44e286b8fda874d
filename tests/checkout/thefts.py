"""A live customer's wallet, and what a thief presses to empty it."""

from typing import TYPE_CHECKING

from payments.models import Payment
from tests.checkout.shopper import Shopper

if TYPE_CHECKING:
    from tests.customers.texts import TextBox

PHONE = "+12423591234"
PIN, NEW_PIN = "7359", "4826"


def signed_in_to_account(texts: "TextBox") -> Shopper:
    shopper = Shopper()
    shopper.visit("/account/phone")
    shopper.send(phone=PHONE)
    shopper.send(code=texts.code)
    assert shopper.path == "/account"
    return shopper


def press_pay(shopper: Shopper, payment: Payment) -> str:
    """Press Pay; return the last part of the address that it leads to."""
    shopper.visit(payment.hosted_url)
    shopper.send(to="/pay")
    return shopper.path.rpartition("/")[2]


def paid() -> list[int]:
    return [payment.sale_amount for payment in Payment.objects.filter(status="completed")]
