"""No endpoint leads a request into our own network: at registration, and when it is called."""

import socket
from collections.abc import Iterator
from typing import Any

import pytest
from pytest_django import Settings

from core.clock import utc_now
from merchants.models import Merchant
from outbound.http_client import post
from outbound.policy import Policy, fault_of, policy_for
from outbound.resolver import system_addresses
from outbound.results import HttpResult
from tests.client import Api
from tests.outbound.addresses import NOT_PUBLIC
from tests.webhooks.canary import Canary
from tests.webhooks.conftest import MakeEndpoint
from tests.webhooks.dispatching import emit_event, only_delivery, send_due
from tests.webhooks.hostile_urls import FINE, NEVER, THIS_MACHINE
from tests.webhooks.receiver import Receiver
from webhooks.models import Webhook

LIVE = Policy(livemode=True, loopback=False)
TEST = Policy(livemode=False, loopback=False)
DEVELOPMENT = Policy(livemode=False, loopback=True)
PUBLIC = "93.184.216.34"
_getaddrinfo = socket.getaddrinfo


@pytest.fixture
def canary() -> Iterator[Canary]:
    """A server on every address of this machine that must never be called."""
    with Canary() as listening:
        yield listening


def call(url: str, policy: Policy, resolve: Any = system_addresses) -> HttpResult:
    return post(url, body=b"{}", headers={}, policy=policy, seconds=30, resolve=resolve)


def test_the_table_is_long_enough() -> None:
    assert len(set(NEVER + THIS_MACHINE)) >= 60


@pytest.mark.parametrize("url", NEVER)
def test_some_addresses_are_never_registered(api: Api, merchant: Merchant, url: str) -> None:
    for live in (True, False):
        body = {"url": url, "events": ["*"]}
        response = api(merchant, live=live).post("/v1/webhooks", body)
        assert (response.status_code, response.json()["code"]) == (422, "VALIDATION_FAILED")
        assert response.json()["details"].startswith("url: ")
    assert Webhook.objects.count() == 0


@pytest.mark.parametrize("url", THIS_MACHINE)
def test_this_machine_is_for_test_endpoints_in_development(
    api: Api, merchant: Merchant, settings: Settings, url: str
) -> None:
    body = {"url": url, "events": ["*"]}

    assert api(merchant, live=True).post("/v1/webhooks", body).status_code == 422
    assert api(merchant).post("/v1/webhooks", body).status_code == 201
    settings.WEBHOOK_ALLOW_PRIVATE = False
    assert api(merchant).post("/v1/webhooks", body).status_code == 422


@pytest.mark.parametrize("url", FINE)
@pytest.mark.parametrize("policy", [LIVE, TEST, DEVELOPMENT])
def test_a_public_https_host_is_fine(url: str, policy: Policy) -> None:
    assert fault_of(url, policy) is None


@pytest.mark.parametrize(
    "url",
    [
        # Anyone may press the button: its payment has an event, which would press it again.
        "https://pay.example.com/pay/shop/link_1/button",
        "https://PAY.example.com.:443/",
        "https://p\uff41y.example.com/",
        "https://checkout.example.com/",
        "https://office.example.com/",
    ],
)
@pytest.mark.parametrize("policy", [LIVE, TEST, DEVELOPMENT])
def test_no_event_comes_back_to_this_service(url: str, policy: Policy, settings: Settings) -> None:
    settings.BASE_URL = "https://pay.example.com"
    settings.CHECKOUT_URL = "https://checkout.example.com"
    settings.ALLOWED_HOSTS = ["pay.example.com", "checkout.example.com", "office.example.com"]

    fault = "must not be this service itself"
    assert fault_of(url, policy) == fault
    assert call(url, policy).error == f"The address is not allowed: it {fault}."
    assert fault_of("https://shop.example.com/", policy) is None
    assert fault_of("https://pay.example.com:8443/", TEST) is None


@pytest.mark.parametrize(
    ("policy", "port", "is_allowed"),
    [
        *((LIVE, 443, True), (LIVE, 80, False), (LIVE, 8_000, False)),
        *((TEST, 80, True), (TEST, 7_999, False), (TEST, 8_000, True), (TEST, 9_200, False)),
        *((DEVELOPMENT, 1_023, False), (DEVELOPMENT, 1_024, True), (DEVELOPMENT, 5_432, False)),
    ],
)
def test_the_ports_of_web_servers(policy: Policy, port: int, is_allowed: bool) -> None:
    assert policy.allows_port(port) is is_allowed


@pytest.mark.parametrize("url", ["https://8.8.8.8/", "https://[2606:4700::1111]/"])
def test_a_live_endpoint_has_a_name(url: str) -> None:
    assert fault_of(url, LIVE) == "must name a host, not an address"
    assert fault_of(url, TEST) is None


@pytest.mark.parametrize(("policy", "lowest"), [(TEST, 8_000), (DEVELOPMENT, 1_024)])
def test_a_test_endpoint_is_told_which_ports_there_are(policy: Policy, lowest: int) -> None:
    for port in (22, 5432):
        assert fault_of(f"https://shop.example.com:{port}/", policy) == (
            f"must use port 80 or 443, or one from {lowest} that no other kind of server uses"
        )


@pytest.mark.parametrize("port", [80, 8443, 8080, 3000])
def test_a_live_endpoint_is_at_the_port_of_https(port: int) -> None:
    assert fault_of(f"https://shop.example.com:{port}/", LIVE) == "must use port 443"


def test_only_test_endpoints_are_ever_on_this_machine(settings: Settings) -> None:
    settings.WEBHOOK_ALLOW_PRIVATE = True

    assert policy_for(livemode=False).loopback
    assert not policy_for(livemode=True).loopback


@pytest.mark.parametrize("url", NEVER + THIS_MACHINE)
def test_what_got_into_the_table_all_the_same_is_not_called(canary: Canary, url: str) -> None:
    """As if registered before a rule was added, or written by hand."""
    for policy in (LIVE, TEST):
        answer = call(url, policy)
        assert answer.error.startswith("The address is not allowed")
        assert answer.status is None
    assert canary.visits == 0


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_a_name_that_leads_inside_is_not_called(canary: Canary, address: str) -> None:
    for url in ("https://shop.example.com/", f"https://shop.example.com:{canary.port}/"):
        for policy in (LIVE, TEST) if ":" not in url[8:] else (TEST,):
            answer = call(url, policy, lambda _host, _port: [address])
            assert answer.error == "The host name leads to an address that is not allowed."
    assert canary.visits == 0


@pytest.mark.parametrize(
    "addresses",
    [[PUBLIC, "127.0.0.1"], ["127.0.0.1", PUBLIC], [PUBLIC, "::1"], [PUBLIC] * 5 + ["10.0.0.1"]],
)
def test_one_inner_address_among_many_refuses_them_all(
    canary: Canary, addresses: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[Any] = []
    monkeypatch.setattr(socket, "create_connection", lambda *args: called.append(args))

    answer = call("https://shop.example.com/", LIVE, lambda _host, _port: addresses)

    assert answer.error == "The host name leads to an address that is not allowed."
    assert called == []


class Rebinding:
    """A name server that answers with a public address first, and then with this machine's."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, host: Any, *args: Any, **options: Any) -> Any:
        if host != "rebind.example.com":
            return _getaddrinfo(host, *args, **options)
        if options.get("flags"):
            raise socket.gaierror("not a number")
        self.asked += 1
        address = PUBLIC if self.asked == 1 else "127.0.0.1"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 443))]


def test_a_name_is_looked_up_once_and_the_checked_address_is_called(
    merchant: Merchant,
    endpoint: MakeEndpoint,
    canary: Canary,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    endpoint(url=f"https://rebind.example.com:{canary.port}/")
    called: list[tuple[str, int]] = []

    def connect(address: tuple[str, int], *_: Any) -> socket.socket:
        called.append(address)
        raise ConnectionRefusedError

    resolver = Rebinding()
    monkeypatch.setattr(socket, "getaddrinfo", resolver)
    monkeypatch.setattr(socket, "create_connection", connect)
    emit_event(merchant)

    send_due()

    assert resolver.asked == 1
    assert called == [(PUBLIC, canary.port)]
    assert canary.visits == 0


def test_a_name_that_has_turned_inwards_is_not_called(
    merchant: Merchant, endpoint: MakeEndpoint, canary: Canary, monkeypatch: pytest.MonkeyPatch,
    settings: Settings,
) -> None:  # fmt: skip
    webhook = endpoint(url=f"https://rebind.example.com:{canary.port}/")
    settings.WEBHOOK_ALLOW_PRIVATE = False
    resolver = Rebinding()
    resolver.asked = 1
    monkeypatch.setattr(socket, "getaddrinfo", resolver)
    emit_event(merchant)

    send_due()

    [attempt] = only_delivery(webhook).attempts.all()
    assert attempt.error == "The host name leads to an address that is not allowed."
    assert resolver.asked == 2
    assert canary.visits == 0


def test_a_proxy_in_the_environment_is_not_asked(
    merchant: Merchant,
    endpoint: MakeEndpoint,
    canary: Canary,
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{canary.port}")
    webhook = endpoint()
    emit_event(merchant)

    send_due()

    assert len(receiver.received(webhook.url)) == 1
    assert canary.visits == 0


def test_a_live_endpoint_on_this_machine_is_not_called(
    merchant: Merchant, canary: Canary, endpoint: MakeEndpoint
) -> None:
    """Even in development, even if the row says so."""
    webhook = endpoint()
    Webhook.objects.filter(pk=webhook.pk).update(
        livemode=True, url=f"http://localhost:{canary.port}/", updated_at=utc_now()
    )
    emit_event(merchant, livemode=True)

    send_due()

    [attempt] = only_delivery(webhook).attempts.all()
    assert attempt.error.startswith("The address is not allowed")
    assert canary.visits == 0
