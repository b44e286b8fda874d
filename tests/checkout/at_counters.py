"""Who stands at a counter: the cashier at its screen, the customer with a phone."""

from payments.counters import screen_url
from payments.models import Payment
from tests.checkout.shopper import Shopper


def cashier_at(counter: Payment) -> Shopper:
    """Open the counter's screen."""
    cashier = Shopper()
    cashier.visit(screen_url(counter).removeprefix("http://testserver"))
    return cashier


def customer_at(counter: Payment) -> Shopper:
    """Scan the counter's code."""
    customer = Shopper()
    customer.visit(counter.hosted_url)
    return customer
