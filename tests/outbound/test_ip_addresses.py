"""The predicate, address by address."""

from ipaddress import ip_address

import pytest

from outbound.ip_addresses import is_loopback, is_public, parse_address

PUBLIC = (
    "1.1.1.1", "8.8.8.8", "93.184.216.34", "100.63.255.255", "100.128.0.1", "172.15.255.255",
    "172.32.0.1", "192.0.1.1", "192.167.255.255", "192.169.0.1", "198.17.255.255", "198.20.0.1",
    "223.255.255.255", "168.63.129.15", "2606:4700::1111", "2a00:1450:4001::200e",
    "64:ff9b::8.8.8.8", "::ffff:8.8.8.8",
)  # fmt: skip

NOT_PUBLIC = (
    "0.0.0.0", "0.1.2.3", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.100.100.200",
    "100.127.255.255", "127.0.0.1", "127.255.255.255", "168.63.129.16", "169.254.0.1",
    "169.254.169.254", "172.16.0.0", "172.31.255.255", "192.0.0.1", "192.0.0.9", "192.0.0.170",
    "192.0.2.1", "192.31.196.1", "192.52.193.1", "192.88.99.1", "192.168.0.1", "192.175.48.1",
    "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.1.1.1",
    "240.0.0.1", "255.255.255.255", "::", "::1", "::127.0.0.1", "::8.8.8.8", "::ffff:127.0.0.1",
    "::ffff:10.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1", "100::1", "2001::1", "2001:0:7f00:1::", "2001:10::1", "2001:20::1",
    "2001:db8::1", "2002:7f00:1::", "2002:808:808::1", "3fff::1", "5f00::1", "fc00::1",
    "fd00:ec2::254", "fe80::1", "febf::1", "fec0::1", "ff02::1", "ff0e::1",
)  # fmt: skip


@pytest.mark.parametrize("address", PUBLIC)
def test_a_host_of_the_open_internet_is_public(address: str) -> None:
    assert is_public(ip_address(address))


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_everything_else_is_not(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("::ffff:127.0.0.1", False),
        ("0.0.0.0", False),
        ("10.0.0.1", False),
        ("1.1.1.1", False),
    ],
)
def test_loopback_has_no_other_spelling(address: str, expected: bool) -> None:
    assert is_loopback(ip_address(address)) is expected


@pytest.mark.parametrize("text", ["", "localhost", "1.2.3", "1.2.3.4.5", "[::1]"])
def test_what_is_no_address_is_none(text: str) -> None:
    assert parse_address(text) is None


def test_a_zone_is_left_off() -> None:
    assert parse_address("fe80::1%eth0") == ip_address("fe80::1")
