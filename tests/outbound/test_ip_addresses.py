"""The predicate, address by address."""

from ipaddress import ip_address

import pytest

from outbound.ip_addresses import is_loopback, is_public, parse_address
from tests.outbound.addresses import NOT_PUBLIC, PUBLIC


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
