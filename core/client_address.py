"""Where a request comes from."""

import re
from collections.abc import Mapping
from functools import lru_cache
from ipaddress import IPv6Address, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest

UNKNOWN = "0.0.0.0"  # noqa: S104  # a value to count under, not to listen on
IPV6_SITE_BITS = 64
MOST_KEPT = 1_000
IPV6_OWNER_BITS = 48  # the prefix that one subscriber commonly gets
# As some proxies write it: 192.0.2.7:50123, [2001:db8::7], [2001:db8::7]:50123.
_WITH_PORT = re.compile(r"(?:\[([^\]]+)\]|([0-9.]+))(?::[0-9]+)?")


def client_address(request: HttpRequest) -> str:
    """Return the caller's address as seen by the outermost of our own `TRUSTED_PROXIES`.

    Anything to the left of it in X-Forwarded-For was written by the caller and proves nothing.
    """
    # `request.headers` would build a mapping of all headers, for each request.
    return address_in(request.META)


def address_in(meta: Mapping[str, str]) -> str:
    """Return what `client_address` returns, from the headers as WSGI names them."""
    seen = [meta.get("REMOTE_ADDR", "")]
    if proxies := settings.TRUSTED_PROXIES:
        hops = filter(None, meta.get("HTTP_X_FORWARDED_FOR", "").split(","))
        seen = [*hops, *seen][-proxies - 1 :]
    return _normal(seen[0])


def is_from_inside(request: HttpRequest) -> bool:
    """Return whether a request came from inside: external ones come through the proxy."""
    return "HTTP_X_FORWARDED_FOR" not in request.META or not settings.TRUSTED_PROXIES


@lru_cache(MOST_KEPT)
def _normal(written: str) -> str:
    """Return an address without its port, or UNKNOWN, which all callers would share."""
    found = _WITH_PORT.fullmatch(written.strip())
    try:
        address = ip_address((found[1] or found[2]) if found else written.strip())
        return str(getattr(address, "ipv4_mapped", None) or address)
    except ValueError:
        return UNKNOWN


def network_of(address: str) -> str:
    """Return the network that counts as one caller: an IPv4 address, or the /64 of an IPv6 one."""
    parsed = ip_address(address)
    if isinstance(parsed, IPv6Address):
        return str(ip_network((address, IPV6_SITE_BITS), strict=False))
    return address


@lru_cache(MOST_KEPT)
def wide_network_of(address: str) -> str:
    """Return an address's /24 or /48, all of which one attacker may well control."""
    if ":" not in address:  # the common case, and mostly a cache miss
        return f"{address[: address.rindex('.')]}.0/24"
    return str(ip_network((address, IPV6_OWNER_BITS), strict=False))
