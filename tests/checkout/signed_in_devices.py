"""Browsers in which a customer is signed in, each on a device of its own."""

from checkout.browser_session import session_cookie
from core.clock import utc_now
from customers.errors import ProofMethod
from customers.models import Customer
from customers.sessions import remember_proof, start_session
from tests.checkout.shopper import Shopper


def signed_in_on(customer: Customer, device: str, *, payment_id: str = "") -> tuple[Shopper, str]:
    """Sign in on another device, with more than a code; return its browser and its token."""
    opened = start_session(customer=customer, now=utc_now(), device=device, payment_id=payment_id)
    remember_proof(opened.session, ProofMethod.PIN, now=utc_now())
    shopper = Shopper()
    shopper.client.cookies[session_cookie(livemode=True)] = opened.token
    return shopper, opened.token
