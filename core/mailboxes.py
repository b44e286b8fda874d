"""The e-mail addresses that strangers give: which are accepted, and which share a mailbox."""

import hashlib
import re
from contextlib import suppress

from django.core.exceptions import ValidationError
from django.core.mail.message import sanitize_address
from django.core.validators import EmailValidator
from django.utils.encoding import punycode

ENCODED_WORD = "=?"  # begins one: =?utf-8?q?ann?=@example.com is sent to ann@example.com
DIGITS = 32  # leaves room for an id in the key of a count
_GMAIL, _PROTON = ("gmail.com", "."), ("proton.me", ".-_")
_ICLOUD, _YANDEX = ("icloud.com", ""), ("yandex.com", ".-")
# Each domain of a mail host: the one that stands for all, and what it ignores in a local part.
_HOSTS = {
    "gmail.com": _GMAIL,
    "googlemail.com": _GMAIL,
    "icloud.com": _ICLOUD,
    "mac.com": _ICLOUD,
    "me.com": _ICLOUD,
    "pm.me": _PROTON,
    "proton.me": _PROTON,
    "protonmail.ch": _PROTON,
    "protonmail.com": _PROTON,
    "narod.ru": _YANDEX,
    "ya.ru": _YANDEX,
    "yandex.com": _YANDEX,
}
# Each mailbox has an address under all of these.
_YANDEX_REGIONS = (
    *("az", "by", "co.il", "com.am", "com.ge", "com.tr", "ee", "fr", "kg", "kz"),
    *("lt", "lv", "md", "ru", "tj", "tm", "ua", "uz"),
)
_HOSTS |= {f"yandex.{region}": _YANDEX for region in _YANDEX_REGIONS}
# There any name before @ reaches the mailbox that the domain begins with.
_NAMED_BY_DOMAIN = re.compile(r"([^.]+)\.(fastmail\.(?:com|fm))")


class _PublicAddressValidator(EmailValidator):
    """Refuses addresses inside a network, such as `root@localhost` or `a@[10.0.0.1]`.

    Also refuses one that is delivered to another address than it names: a quoted name, one with an
    encoded word, which the library that sends mail decodes, or a domain whose letters IDNA drops or
    replaces.
    """

    literal_regex = re.compile(r"(?!)")  # matches nothing

    def __call__(self, value: str | None) -> None:
        super().__call__(value)
        local = (value or "").rpartition("@")[0]
        if '"' in local or ENCODED_WORD in local or not local.isascii():
            raise ValidationError(self.message, code=self.code)

    def validate_domain_part(self, domain_part: str) -> bool:
        return super().validate_domain_part(domain_part) and _is_kept(domain_part.lower())


def _is_kept(domain: str) -> bool:
    """Return whether a domain survives the round trip through IDNA unchanged."""
    if domain.isascii():
        return True
    try:
        return punycode(domain).encode().decode("idna") == domain
    except UnicodeError:
        return False


validate_public_address = _PublicAddressValidator(allowlist=())


def mailbox_of(address: str) -> str:
    """Return a hash that stands for a mailbox in counts and proofs, without its name.

    Addresses that differ in a tag after a +, or in what their host ignores, share it. So do the
    other spellings that were accepted before they were refused. A phone number stands for itself.
    """
    local, _, domain = _decoded(address).lower().rpartition("@")
    unquoted = re.sub(r'\\(.)|"', r"\1", local)
    with suppress(UnicodeError):  # no mail can be sent to such a domain
        domain = punycode(domain)
    untagged = unquoted.partition("+")[0] or unquoted
    if named := _NAMED_BY_DOMAIN.fullmatch(domain):
        untagged, domain = named.groups()
    domain, left_out = _HOSTS.get(domain, (domain, ""))
    name = f"{untagged.translate(str.maketrans('', '', left_out))}@{domain}"
    return hashlib.sha256(name.encode()).hexdigest()[:DIGITS]


def _decoded(address: str) -> str:
    """Return an address as it is sent to, also after other words before a space."""
    if ENCODED_WORD not in address:
        return address
    words, space, last = address.rpartition(" ")
    with suppress(ValueError, IndexError):  # no mail can be sent there
        last = sanitize_address(last, "utf-8")
    return f"{words}{space}{last}"
