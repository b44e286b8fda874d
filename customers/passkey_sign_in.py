"""Signing in to the customer's own page by the passkey of a known device."""

from datetime import datetime, timedelta

from core.attempt_limits import AttemptLimit, count_attempt, uncount_attempt
from customers.models import Customer
from customers.passkeys import finish_sign_in
from customers.sessions import SignedIn, start_session

# The code remains for a customer whose attempts are used up.
SIGN_IN_ATTEMPTS = AttemptLimit("passkey-sign-in", 10, timedelta(hours=1))


def sign_in_to_account(
    *, customer: Customer, credential: str, replaces: str, now: datetime, device: str
) -> SignedIn:
    """Sign a customer in to their own page by a passkey; like a code for it, it names no payment.

    The session may change PIN and passkeys only once the passkey has been shown again. `replaces`
    is the token that the browser had. Raises VerificationFailed, and RateLimited after too many
    failed attempts.
    """
    count_attempt(SIGN_IN_ATTEMPTS, customer.pk, now=now)
    passkey = finish_sign_in(customer=customer, credential=credential, now=now)
    uncount_attempt(SIGN_IN_ATTEMPTS, customer.pk)
    return start_session(
        customer=customer, now=now, replaces=replaces, passkey_id=passkey.pk, device=device
    )
