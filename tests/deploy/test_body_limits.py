"""The proxies of `deploy/` refuse a body that is too large by 413, and pass on one that is not."""

import http.client
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from django.conf import settings

from bench.proxies import PROXIES
from bench.restarts import front
from tests.machine import need

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]

MOST, MOST_FROM_BANK = settings.DATA_UPLOAD_MAX_MEMORY_SIZE, 11 << 20
PAYMENTS, BANK = "/v1/payments", "/admin/payouts/payoutbatch/import"
PATIENCE_SECONDS = 30

Send = Callable[..., int]


class Upstream(BaseHTTPRequestHandler):
    """Answers 201 once it has read a body whole."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        self.send_response(201 if len(self.rfile.read(length)) == length else 400)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(params=sorted(PROXIES))
def send(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Send]:
    need(request.param, request.param)
    with ThreadingHTTPServer(("127.0.0.1", 0), Upstream) as upstream:
        threading.Thread(target=upstream.serve_forever, daemon=True).start()
        with front(request.param, [upstream.server_port], tmp_path) as port:

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
        upstream.shutdown()


def test_what_is_too_large_is_refused_as_such(send: Send) -> None:
    assert send(PAYMENTS, MOST) == 201
    assert send(PAYMENTS, MOST + 1) == 413
    assert send(PAYMENTS, MOST + 1, tells_size=False) == 413
    assert send(BANK, MOST + 1) == 201
    assert send(BANK, MOST_FROM_BANK) == 201
    assert send(BANK, MOST_FROM_BANK + 1) == 413
