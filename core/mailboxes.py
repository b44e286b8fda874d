"""The e-mail addresses that strangers name: which are taken, and which are of one mailbox."""

import hashlib
import re

from django.core.validators import EmailValidator


class _PublicAddressValidator(EmailValidator):
    """Takes no address inside a network: neither `root@localhost` nor `a@[10.0.0.1]`."""

    literal_regex = re.compile(r"(?!)")  # matches nothing


validate_public_address = _PublicAddressValidator(allowlist=())


def mailbox_of(address: str) -> str:
    """Return what stands for a mailbox in a count, without its name: tags after a + share it.

    A phone number stands for itself.
    """
    local, _, domain = address.lower().rpartition("@")
    return hashlib.sha256(f"{local.partition('+')[0]}@{domain}".encode()).hexdigest()
