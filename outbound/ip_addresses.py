"""Which addresses are public, so that requests may go there. Pure: no look-up, no settings.

`ipaddress.is_global` alone lets multicast, NAT64, 6to4 and site-local through on some versions of
Python, so the ranges that are not public are listed here, for every version alike.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address

_PRIVATE_4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # this network
            "10.0.0.0/8",
            "100.64.0.0/10",  # carrier NAT; metadata of some clouds
            "127.0.0.0/8",
            "168.63.129.16/32",  # a cloud's internal service, at an address that looks public
            "169.254.0.0/16",  # link-local; metadata of most clouds
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.31.196.0/24",
            "192.52.193.0/24",
            "192.88.99.0/24",  # 6to4 relays
            "192.168.0.0/16",
            "192.175.48.0/24",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, and broadcast
        ),
    )
)
_GLOBAL_6 = IPv6Network("2000::/3")
_PRIVATE_6 = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # protocol assignments; Teredo carries an IPv4 address inside
            "2001:db8::/32",
            "2002::/16",  # 6to4 carries an IPv4 address inside
            "2620:4f:8000::/48",
            "3fff::/20",
        ),
    )
)
_NAT64 = IPv6Network("64:ff9b::/96")


def parse_address(text: str) -> Address | None:
    """Parse an address as a resolver returns it, without its zone; None if it is not one."""
    try:
        return ip_address(text.partition("%")[0])
    except ValueError:
        return None


def is_public(address: Address) -> bool:
    """Return whether this is a public host, seen through mapped and NAT64 forms."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _PRIVATE_4)
    inner = _carried(address)
    if inner is not None:
        return is_public(inner)
    return address in _GLOBAL_6 and not any(address in network for network in _PRIVATE_6)


def is_loopback(address: Address) -> bool:
    """Return whether this is the machine itself: 127.0.0.0/8 or ::1, and no other form."""
    return address.is_loopback and (isinstance(address, IPv4Address) or address == _LOOPBACK_6)


_LOOPBACK_6 = IPv6Address("::1")


def _carried(address: IPv6Address) -> IPv4Address | None:
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return IPv4Address(int(address) & 0xFFFFFFFF) if address in _NAT64 else None
