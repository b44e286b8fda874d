"""The connection goes to an address, but TLS verifies the name, and trusts no other."""

import ssl
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from outbound.http_client import post
from outbound.policy import Policy
from outbound.results import HttpResult
from tests.outbound.certificates import Authority

pytestmark = pytest.mark.real_clock("certificates are checked against the clock of the system")

POLICY = Policy(livemode=False, loopback=True)
HOST = "shop.example.com"
Serve = Callable[[ssl.SSLContext], int]


class Acknowledge(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Server(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """Clients may refuse us."""


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start a server with this context on loopback; return its port."""
    servers: list[Server] = []

    def start(context: ssl.SSLContext) -> int:
        server = Server(("127.0.0.1", 0), Acknowledge)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        servers.append(server)
        return server.server_port

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(Path(tmp_path_factory.mktemp("authority")))


def call(port: int, tls: ssl.SSLContext | None) -> HttpResult:
    return post(
        f"https://{HOST}:{port}/",
        body=b"{}",
        headers={},
        policy=POLICY,
        seconds=30,
        resolve=lambda _host, _port: ["127.0.0.1"],
        tls=tls,
    )


def test_it_asks_for_the_host_by_name(serve: Serve, authority: Authority) -> None:
    names: list[Any] = []
    context = authority.server(HOST)
    context.sni_callback = lambda _socket, name, _context: names.append(name)

    answer = call(serve(context), authority.trusting())

    assert (answer.status, answer.error) == (200, "")
    assert names == [HOST]


def test_an_unknown_authority_is_not_believed(serve: Serve, authority: Authority) -> None:
    answer = call(serve(authority.server(HOST)), None)

    assert not answer.is_success
    assert answer.error.startswith("TLS: unable to get local issuer certificate (the server may")


def test_another_hosts_certificate_is_not_believed(serve: Serve, authority: Authority) -> None:
    answer = call(serve(authority.server("other.example.com")), authority.trusting())

    assert answer.error == f"TLS: Hostname mismatch, certificate is not valid for '{HOST}'."


def test_a_certificate_for_the_address_is_not_enough(serve: Serve, authority: Authority) -> None:
    answer = call(serve(authority.server("localhost")), authority.trusting())

    assert answer.error.startswith("TLS: Hostname mismatch")


def test_an_expired_certificate_is_not_believed(serve: Serve, authority: Authority) -> None:
    context = authority.server(HOST, days=(-1, 0))

    answer = call(serve(context), authority.trusting())

    assert answer.error == "TLS: certificate has expired."


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
def test_an_old_protocol_is_not_spoken(serve: Serve, authority: Authority) -> None:
    context = authority.server(HOST)
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = ssl.TLSVersion.TLSv1
    context.maximum_version = ssl.TLSVersion.TLSv1_1

    answer = call(serve(context), authority.trusting())

    assert answer.error.startswith("TLS: ")
    assert not answer.is_success
