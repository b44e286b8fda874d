"""Keys of addresses that are on paper or open for years: stored, so that SECRET_KEY may change.

Each began as what Django derives from the SECRET_KEY of the day, by which earlier addresses were
made; from then on it is its own.
"""

import hashlib

from django.conf import settings

from core.models import AddressKey
from core.sealed import seal, unseal

_known: dict[str, bytes] = {}


def address_key(name: str) -> bytes:
    """Return the key of a kind of address; it is made when it is first asked for."""
    if name not in _known:
        new = AddressKey(name=name)
        seal(new, "sealed_key", _derived(name).hex())
        row, is_new = AddressKey.objects.get_or_create(
            name=name, defaults={"sealed_key": new.sealed_key}
        )
        key = bytes.fromhex(unseal(row, "sealed_key"))
        if is_new:  # not certain before the caller's transaction is
            return key
        _known[name] = key
    return _known[name]


def _derived(name: str) -> bytes:
    """Return what `django.utils.crypto.salted_hmac` uses for this salt."""
    return hashlib.sha256(name.encode() + settings.SECRET_KEY.encode()).digest()
