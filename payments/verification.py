"""The verification that an amount alone requires. A stronger one satisfies a weaker."""

from enum import IntEnum

from django.conf import settings


class Verification(IntEnum):
    NONE = 0
    PIN = 1
    PASSKEY = 2


def required_for_amount(amount: int) -> Verification:
    """Return what an amount in cents requires: by default a PIN above 200, a passkey above 5000."""
    if amount > settings.PASSKEY_ABOVE:
        return Verification.PASSKEY
    if amount > settings.PIN_ABOVE:
        return Verification.PIN
    return Verification.NONE
