"""How a customer must be verified, by amount alone. A stricter method satisfies a weaker one."""

from enum import IntEnum

from django.conf import settings


class Verification(IntEnum):
    NONE = 0
    PIN = 1
    PASSKEY = 2


def required_for(amount: int) -> Verification:
    """Return what an amount in cents needs: nothing up to 200, a PIN up to 5000, else a passkey."""
    if amount > settings.PASSKEY_ABOVE:
        return Verification.PASSKEY
    if amount > settings.PIN_ABOVE:
        return Verification.PIN
    return Verification.NONE
