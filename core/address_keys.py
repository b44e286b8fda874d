"""Stored keys for addresses that are printed or live for years, so that SECRET_KEY can change.

Each starts out as the key that Django derives from the current SECRET_KEY, with which earlier
addresses were made; from then on it is independent of it.
"""

import hashlib

from django.conf import settings

from core.models import AddressKey
from core.sealed import seal, unseal

_known: dict[str, bytes] = {}


def address_key(name: str) -> bytes:
    """Return the key for a kind of address, creating it on first use."""
    if name not in _known:
        new = AddressKey(name=name)
        seal(new, "sealed_key", _derived(name).hex())
        row, is_new = AddressKey.objects.get_or_create(
            name=name, defaults={"sealed_key": new.sealed_key}
        )
        key = bytes.fromhex(unseal(row, "sealed_key"))
        if is_new:  # not final until the caller's transaction commits
            return key
        _known[name] = key
    return _known[name]


def _derived(name: str) -> bytes:
    """Return what `django.utils.crypto.salted_hmac` uses for this salt."""
    return hashlib.sha256(name.encode() + settings.SECRET_KEY.encode()).digest()
