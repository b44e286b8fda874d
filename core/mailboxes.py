"""The e-mail addresses that strangers name: which are taken, and which are of one mailbox."""

import hashlib
import re
from contextlib import suppress

from django.core.exceptions import ValidationError
from django.core.validators import EmailValidator
from django.utils.encoding import punycode

DIGITS = 32  # a key of a count has room for an id besides
# One service under both names, which leaves out the dots of a name.
_GMAIL = ("gmail.com", "googlemail.com")


class _PublicAddressValidator(EmailValidator):
    """Takes no address inside a network: neither `root@localhost` nor `a@[10.0.0.1]`.

    Nor one that is sent to another than it names: a quoted name, or a domain whose letters IDNA
    drops or replaces.
    """

    literal_regex = re.compile(r"(?!)")  # matches nothing

    def __call__(self, value: str | None) -> None:
        super().__call__(value)
        local = (value or "").rpartition("@")[0]
        if '"' in local or not local.isascii():
            raise ValidationError(self.message, code=self.code)

    def validate_domain_part(self, domain_part: str) -> bool:
        return super().validate_domain_part(domain_part) and _is_kept(domain_part.lower())


def _is_kept(domain: str) -> bool:
    """Return whether a domain is what becomes of it on the way through IDNA and back."""
    if domain.isascii():
        return True
    try:
        return punycode(domain).encode().decode("idna") == domain
    except UnicodeError:
        return False


validate_public_address = _PublicAddressValidator(allowlist=())


def mailbox_of(address: str) -> str:
    """Return what stands for a mailbox in counts and proofs, without its name.

    Tags after a + share it, and at Gmail dots. So do the other names that were taken before they
    were refused. A phone number stands for itself.
    """
    local, _, domain = address.lower().rpartition("@")
    unquoted = re.sub(r'\\(.)|"', r"\1", local)
    with suppress(UnicodeError):  # no mail leaves for such a domain
        domain = punycode(domain)
    untagged = unquoted.partition("+")[0] or unquoted
    if domain in _GMAIL:
        untagged, domain = untagged.replace(".", ""), _GMAIL[0]
    name = f"{untagged}@{domain}"
    return hashlib.sha256(name.encode()).hexdigest()[:DIGITS]
