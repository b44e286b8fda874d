"""A receiver for developers: it verifies deliveries, forwards them, and reports them."""

import queue
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

import orjson
import requests

from core.clock import utc_now
from webhooks.cli.signature_checks import Check, checks

FORWARD_SECONDS = 10
MAX_BYTES = 1024 * 1024
FORWARDED_HEADERS = ("content-type", "user-agent", "webhook-", "x-service-")


@dataclass(frozen=True)
class ReceivedEvent:
    """A request and the response to it. `fault` says why it was refused."""

    body: bytes
    status: int
    fault: str = ""

    @property
    def event(self) -> dict[str, Any]:
        event: dict[str, Any] = orjson.loads(self.body)
        return event


class Listener:
    """A context manager that listens on this machine, at `url`, for requests under its `secrets`.

    Deliveries are forwarded to `forward_to`, if given, byte for byte with their signatures; the
    response from there is returned.
    """

    def __init__(self, *, port: int = 0, forward_to: str | None = None) -> None:
        self.secrets: list[str] = []
        self.forward_to = forward_to
        self.received: queue.SimpleQueue[ReceivedEvent] = queue.SimpleQueue()
        self._server = ThreadingHTTPServer(("127.0.0.1", port), self._handler())

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def receive(self, headers: dict[str, str], body: bytes) -> ReceivedEvent:
        """Verify a request and forward it; header names in lower case."""
        at, failed = utc_now(), list[Check]()
        for secret in self.secrets:
            made = checks(headers, body, secret=secret, at=at)
            failed = [check for check in made if not check.is_good]
            if not failed:
                break
        if failed or not self.secrets:
            fault = f"{failed[0].name} {failed[0].says}" if failed else "no secret is known"
            return ReceivedEvent(body, 401, fault)
        if self.forward_to is None:
            return ReceivedEvent(body, 200)
        return _forward(self.forward_to, headers, body)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        listener = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = min(int(self.headers.get("Content-Length") or 0), MAX_BYTES)
                body = self.rfile.read(length)
                headers = {name.lower(): value for name, value in self.headers.items()}
                received = listener.receive(headers, body)
                self.send_response(received.status)
                self.send_header("Content-Length", "0")
                self.end_headers()
                listener.received.put(received)

            def log_message(self, *_: object) -> None:
                """Log nothing: the command prints the result."""

        return Handler


def _forward(url: str, headers: dict[str, str], body: bytes) -> ReceivedEvent:
    kept = {name: value for name, value in headers.items() if name.startswith(FORWARDED_HEADERS)}
    try:
        answer = requests.post(
            url, data=body, headers=kept, timeout=FORWARD_SECONDS, allow_redirects=False
        )
    except requests.RequestException as error:
        return ReceivedEvent(body, 502, f"not passed on: {type(error).__name__}")
    return ReceivedEvent(body, answer.status_code)
