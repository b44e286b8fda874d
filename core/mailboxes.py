"""The e-mail addresses that strangers name: which are taken, and which are of one mailbox."""

import hashlib
import re
from contextlib import suppress

from django.core.exceptions import ValidationError
from django.core.validators import EmailValidator
from django.utils.encoding import punycode

DIGITS = 32  # a key of a count has room for an id besides
_GMAIL, _PROTON = ("gmail.com", "."), ("proton.me", ".-_")
_ICLOUD, _YANDEX = ("icloud.com", ""), ("yandex.com", ".-")
# The names of a mailbox's host: the one that stands for all, and what of a name it leaves out.
_HOSTS = {
    "gmail.com": _GMAIL,
    "googlemail.com": _GMAIL,
    "icloud.com": _ICLOUD,
    "mac.com": _ICLOUD,
    "me.com": _ICLOUD,
    "pm.me": _PROTON,
    "proton.me": _PROTON,
    "protonmail.com": _PROTON,
    "ya.ru": _YANDEX,
    "yandex.com": _YANDEX,
    "yandex.ru": _YANDEX,
}
# There any name before @ reaches the mailbox that the domain begins with.
_NAMED_BY_DOMAIN = re.compile(r"([^.]+)\.(fastmail\.(?:com|fm))")


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

    Tags after a + share it, and what its host makes the same. So do the other names that were taken
    before they were refused. A phone number stands for itself.
    """
    local, _, domain = address.lower().rpartition("@")
    unquoted = re.sub(r'\\(.)|"', r"\1", local)
    with suppress(UnicodeError):  # no mail leaves for such a domain
        domain = punycode(domain)
    untagged = unquoted.partition("+")[0] or unquoted
    if named := _NAMED_BY_DOMAIN.fullmatch(domain):
        untagged, domain = named.groups()
    domain, left_out = _HOSTS.get(domain, (domain, ""))
    name = f"{untagged.translate(str.maketrans('', '', left_out))}@{domain}"
    return hashlib.sha256(name.encode()).hexdigest()[:DIGITS]
