"""The proxies of `deploy/` know what is too large, and which instance is there."""

import http.client
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest
from django.conf import settings

from bench.proxies import PROXIES
from bench.restarts import front
from bench.serving import free_port
from config.web import LEAVE_SECONDS
from tests.deploy.upstream import Refusing, listening
from tests.machine import need

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]

MOST, MOST_FROM_BANK = settings.DATA_UPLOAD_MAX_MEMORY_SIZE, 11 << 20
PAYMENTS, BANK = "/v1/payments", "/admin/payouts/payoutbatch/import"
PATIENCE_SECONDS = 30
REFUSED_BODIES = 12

Send = Callable[..., int]


@pytest.fixture(params=sorted(PROXIES))
def send(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Send]:
    need(request.param, request.param)
    with listening() as upstream, front(request.param, [upstream], tmp_path) as port:

        def status(path: str, size: int, *, tells_size: bool = True) -> int:
            proxy = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
            headers = {"Host": "bench.localhost"}
            if not tells_size:
                headers["Transfer-Encoding"] = "chunked"
            body = bytes(size) if tells_size else iter([bytes(size)])
            with suppress(ConnectionError):  # it need not be read to its end
                proxy.request("POST", path, body, headers, encode_chunked=not tells_size)
            found = proxy.getresponse().status
            proxy.close()
            return found

        yield status


def test_what_is_too_large_is_refused_as_such(send: Send) -> None:
    assert send(PAYMENTS, MOST) == 201
    assert send(PAYMENTS, MOST + 1) == 413
    assert send(PAYMENTS, MOST + 1, tells_size=False) == 413
    assert send(BANK, MOST + 1) == 201
    assert send(BANK, MOST_FROM_BANK) == 201
    assert send(BANK, MOST_FROM_BANK + 1) == 413


@pytest.mark.parametrize("name", sorted(PROXIES))
def test_no_address_that_opens_a_page_is_logged(name: str, tmp_path: Path) -> None:
    need(name, name)
    page = "/counter/pay_00000001aaaaaaaaaaaaaaaaaaaaaa/" + "s" * 43

    def ask(port: int) -> int:
        proxy = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
        proxy.request("GET", page, headers={"Host": "bench.localhost"})
        return proxy.getresponse().status

    with ExitStack() as first:
        upstream = first.enter_context(listening())
        with front(name, [upstream], tmp_path) as port:
            assert ask(port) == 200
            first.close()
            assert ask(port) in (502, 503)

    found = [
        path for path in tmp_path.rglob("*") if path.is_file() and b"ssss" in path.read_bytes()
    ]
    assert found == []


def test_nginx_tries_one_that_is_back_before_the_other_has_gone(tmp_path: Path) -> None:
    """As when one instance after the other is started again."""
    need("nginx", "nginx")
    ports = [free_port(), free_port()]
    with ExitStack() as first, front("nginx", ports, tmp_path) as port:

        def pay() -> int:
            proxy = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
            proxy.request("POST", PAYMENTS, b"{}", {"Host": "bench.localhost"})
            return proxy.getresponse().status

        with listening(ports[1]):
            assert [pay() for _ in range(4)] == [201] * 4  # and the first is known to be away
            first.enter_context(listening(ports[0]))
            time.sleep(LEAVE_SECONDS)
        assert [pay() for _ in range(4)] == [201] * 4


@pytest.mark.parametrize("name", sorted(PROXIES))
def test_a_stranger_whose_bodies_are_refused_takes_no_instance_out(
    name: str, tmp_path: Path
) -> None:
    """Two clients of nginx without a key had everyone else's requests answered 502."""
    need(name, name)
    with (
        listening(handler=Refusing) as one,
        listening(handler=Refusing) as other,
        front(name, [one, other], tmp_path) as port,
    ):

        def ask(method: str, path: str, body: bytes = b"") -> int:
            proxy = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
            with suppress(ConnectionError):
                proxy.request(method, path, body, {"Host": "bench.localhost"})
            with closing(proxy):
                return proxy.getresponse().status

        seen = []
        for _ in range(REFUSED_BODIES):
            assert ask("POST", BANK, bytes(MOST_FROM_BANK)) in (403, 502)
            seen.append(ask("GET", "/v1/balance"))

    assert seen == [200] * REFUSED_BODIES
