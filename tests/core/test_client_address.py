"""Whom a request counts for, behind proxies and without."""

import pytest
from django.test import RequestFactory

from core.client_address import client_address, network_of, wide_network_of

SPOOFED = "198.51.100.1, 198.51.100.2"


@pytest.mark.parametrize(
    ("proxies", "remote", "forwarded", "address"),
    [
        (0, "203.0.113.5", None, "203.0.113.5"),
        (0, "203.0.113.5", SPOOFED, "203.0.113.5"),
        (1, "10.0.0.1", "203.0.113.5", "203.0.113.5"),
        (1, "10.0.0.1", f"{SPOOFED}, 203.0.113.5", "203.0.113.5"),
        (2, "10.0.0.1", f"{SPOOFED},203.0.113.5 , 10.0.0.2", "203.0.113.5"),
        (1, "10.0.0.1", None, "10.0.0.1"),
        (1, "10.0.0.1", "", "10.0.0.1"),
        (3, "10.0.0.1", "203.0.113.5", "203.0.113.5"),
        (1, "10.0.0.1", "unknown", "0.0.0.0"),
        (1, "10.0.0.1", f"{SPOOFED}, 203.0.113.5:50123", "203.0.113.5"),
        (1, "10.0.0.1", "[2001:DB8::1]:50123", "2001:db8::1"),
        (1, "10.0.0.1", "[2001:DB8::1]", "2001:db8::1"),
        (1, "10.0.0.1", "203.0.113.5:x", "0.0.0.0"),
        (1, "10.0.0.1", "[203.0.113.5", "0.0.0.0"),
        (0, "", None, "0.0.0.0"),
        (0, "::ffff:203.0.113.5", None, "203.0.113.5"),
        (0, "2001:DB8::1", None, "2001:db8::1"),
    ],
)
def test_it_believes_its_own_proxies_only(settings, proxies, remote, forwarded, address):
    settings.TRUSTED_PROXIES = proxies
    headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}

    request = RequestFactory().get("/", headers=headers, REMOTE_ADDR=remote)

    assert client_address(request) == address


def test_it_counts_an_ipv6_site_as_one():
    assert network_of("2001:db8:1:2:3:4:5:6") == network_of("2001:db8:1:2::9")
    assert network_of("2001:db8:1:2::9") != network_of("2001:db8:1:3::9")
    assert network_of("203.0.113.5") != network_of("203.0.113.6")


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("203.0.113.5", "203.0.113.0/24"),
        ("0.0.0.0", "0.0.0.0/24"),
        ("2001:db8:1:2::9", "2001:db8:1::/48"),
        ("::1", "::/48"),
    ],
)
def test_it_counts_what_one_owner_is_given_as_one(address: str, network: str):
    assert wide_network_of(address) == network
