"""What a peer may answer, byte by byte: what is read of it, and that nothing is left open."""

import io
import socket
from collections.abc import Callable
from types import SimpleNamespace

import pytest
import requests

from outbound import http_client
from outbound.connections import Connector
from outbound.deadline import Deadline
from outbound.http_client import get, post, put
from outbound.policy import Policy
from outbound.results import HttpResult

POLICY = Policy(livemode=False, loopback=True)
URL = "http://localhost:8080/hook"
BROKE_OFF = "The connection broke off before the answer was complete."
OK = b"HTTP/1.1 200 OK\r\n"
WHOLE = OK + b"Content-Length: 2\r\n\r\nok"
HINTS = b"HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"
LONG = OK + b"Content-Length: 40000\r\n\r\n"
Connect = Callable[[bytes], tuple[socket.socket, socket.socket]]


@pytest.fixture
def connect(monkeypatch: pytest.MonkeyPatch) -> Connect:
    """Let the next request go to a peer that has sent its answer already, and no more."""

    def make(answer: bytes) -> tuple[socket.socket, socket.socket]:
        ours, peer = socket.socketpair()
        peer.sendall(answer)
        peer.shutdown(socket.SHUT_WR)
        monkeypatch.setattr(Connector, "__call__", lambda *_: ours)
        return ours, peer

    return make


def call() -> HttpResult:
    return post(URL, body=b"{}", headers={"A": "b"}, policy=POLICY, seconds=30)


@pytest.mark.parametrize(
    ("answer", "status", "excerpt", "error"),
    [
        (WHOLE, 200, "ok", ""),
        (b"HTTP/1.1 404 Gone\r\nContent-Length: 2\r\n\r\nno", 404, "no", "Answered 404."),
        (HINTS + WHOLE, 200, "ok", ""),
        (
            OK + b"\r\n\x1b[2J\xe2\x80\xaeko\xe2\x81\xa9\nyes",
            200,
            "\ufffd[2J\ufffdko\ufffd\nyes",
            "",
        ),
        (OK + b"Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\nok", 200, "ok", ""),
        (b"", None, "", BROKE_OFF),
        (b"-ERR unknown command 'POST'\r\n", None, "", BROKE_OFF),
        (OK + b"Content-Length: 100\r\n\r\nonly this", 200, "only this", BROKE_OFF),
        (LONG + b"a" * 32_767, 200, "a" * 1_000, BROKE_OFF),
        (LONG + b"a" * 32_768, 200, "a" * 1_000, ""),
        (OK + (b"X-More: " + b"a" * 8_000 + b"\r\n") * 9 + b"\r\n", None, "", BROKE_OFF),
        (b"HTTP/1.1 103 Early Hints\r\n\r\n" * 3_000 + WHOLE, None, "", BROKE_OFF),
    ],
    ids=range(12),
)
def test_it_is_read_to_its_end_or_to_the_limit(
    connect: Connect, answer: bytes, status: int | None, excerpt: str, error: str
) -> None:
    ours, peer = connect(answer)

    result = call()

    assert (result.status, result.excerpt, result.error) == (status, excerpt, error)
    assert ours.fileno() == -1
    peer.close()


@pytest.mark.parametrize("answer", [LONG + b"a" * 32_768, b"", OK])
def test_what_is_not_read_to_its_end_is_closed_at_once(connect: Connect, answer: bytes) -> None:
    ours, peer = connect(answer)
    connector = Connector(POLICY, Deadline(5), 5, lambda host, port: ["127.0.0.1"])
    exchange = http_client._Exchange(connector, http_client.tls_context(), keep=10)

    try:
        exchange.run(requests.Request("GET", URL), 5)
    except requests.RequestException:
        assert answer in (b"", OK)

    assert ours.fileno() == -1
    peer.close()


def test_what_limits_an_answer_is_closed_with_it() -> None:
    raw = io.BytesIO()
    limited = http_client._Limited(raw)

    limited.close()

    assert (limited.closed, raw.closed) == (True, True)


def test_each_way_to_ask_sends_its_method_and_headers(connect: Connect) -> None:
    asked = []
    for ask in (
        call,
        lambda: put(URL, body=b"{}", headers={"A": "b"}, policy=POLICY, seconds=30),
        lambda: get(URL, policy=POLICY, seconds=30, headers={"A": "b"})[0],
        lambda: get(URL, policy=POLICY, seconds=30)[0],
    ):
        _, peer = connect(WHOLE)
        assert ask().is_success
        head = peer.recv(10_000).decode().split("\r\n")
        assert "Accept-Encoding: identity" in head
        asked.append((head[0].split()[0], "A: b" in head))
        peer.close()

    assert asked == [("POST", True), ("PUT", True), ("GET", True), ("GET", False)]


def test_more_of_a_page_that_is_read_is_kept_than_of_an_answer(connect: Connect) -> None:
    _, peer = connect(OK + b"Content-Length: 9000\r\n\r\n" + b"a" * 9_000)

    result, body = get(URL, policy=POLICY, seconds=30)

    assert (len(result.excerpt), len(body)) == (1_000, 9_000)
    peer.close()


def test_how_long_it_took_is_told_in_milliseconds(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    instants = iter([100.0, 102.5])
    clock = SimpleNamespace(monotonic=lambda: next(instants))
    _, peer = connect(WHOLE)
    monkeypatch.setattr(http_client, "time", clock)

    assert call().ms == 2_500
    peer.close()


def test_a_deadline_that_has_passed_overrides_what_was_read(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Passed(Deadline):
        def __init__(self, seconds: float) -> None:
            super().__init__(seconds)
            self.expired = True

    _, peer = connect(WHOLE)
    monkeypatch.setattr(http_client, "Deadline", Passed)

    result = call()

    assert (result.status, result.is_success) == (200, False)
    assert result.error == "No complete answer within 30 seconds."
    peer.close()


def test_where_it_may_not_go_nothing_is_asked() -> None:
    url = "http://10.0.0.1/"

    assert post(url, body=b"", headers={}, policy=POLICY, seconds=30) == HttpResult(
        ms=0, error="The address is not allowed: it must be a public address."
    )
