"""Which hosts the web server's requests may be for: each is looked at once."""

import pytest
from django.core.exceptions import DisallowedHost
from django.test import RequestFactory

from config.request_head import MOST_HOSTS, Utf8Request, _ours


def asked_for(host: str) -> Utf8Request:
    return Utf8Request(RequestFactory().get("/healthz", headers={"host": host}).environ)


@pytest.mark.parametrize("host", ["pay.example.com", "pay.example.com:443", "eu.example.net"])
def test_one_of_ours_is_returned_as_it_was_sent(settings, host: str) -> None:
    settings.ALLOWED_HOSTS = ["pay.example.com", ".example.net"]

    assert [asked_for(host).get_host() for _ in range(2)] == [host, host]


@pytest.mark.parametrize("host", ["example.com", "pay.example.com.evil.net", "a b", ""])
def test_another_is_refused_each_time(settings, host: str) -> None:
    settings.ALLOWED_HOSTS = ["pay.example.com"]

    for _ in range(2):
        with pytest.raises(DisallowedHost):
            asked_for(host).get_host()


def test_without_one_it_is_that_of_the_server(settings) -> None:
    settings.ALLOWED_HOSTS = ["pay.example.com"]
    environ = RequestFactory().get("/healthz").environ
    assert "HTTP_HOST" not in environ

    assert Utf8Request(environ | {"SERVER_NAME": "pay.example.com"}).get_host() == "pay.example.com"
    with pytest.raises(DisallowedHost):
        Utf8Request(environ).get_host()


def test_one_that_is_no_longer_ours_is_refused(settings) -> None:
    settings.ALLOWED_HOSTS = ["pay.example.com"]
    asked_for("pay.example.com").get_host()
    settings.ALLOWED_HOSTS = ["new.example.com"]

    with pytest.raises(DisallowedHost):
        asked_for("pay.example.com").get_host()


def test_of_the_names_that_a_wildcard_allows_not_all_are_kept(settings) -> None:
    """A stranger can make up any number of them."""
    settings.ALLOWED_HOSTS = [".example.net"]
    for number in range(MOST_HOSTS + 1):
        asked_for(f"shop-{number}.example.net").get_host()

    assert _ours.cache_info().currsize == MOST_HOSTS
