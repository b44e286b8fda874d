"""What a worker does with a request before and after the service answers it.

granian gives each request to a thread, with an object that any thread may complete at any time.
So a request can wait, before it is served or before its answer is sent, without a thread. Its body
can only be read until granian's call returns: what waits to be served has been read.

- Visitors, who show no credentials, have half of the threads: the others are left to merchants,
  staff and signed-in customers, even while strangers request everything expensive at once.
- A refusal (429) is sent a moment later: a caller that asks again as soon as it is refused would
  otherwise be refused thousands of times a second, and both cores would do little else. Refusals
  of the same moment are sent one by one, or all of these callers would ask again together.
"""

from collections import deque
from collections.abc import Callable
from http import HTTPStatus
from io import BytesIO
from queue import SimpleQueue
from threading import Lock, Thread
from time import monotonic, sleep
from typing import Any

from granian.log import logger

HELD_SECONDS, APART_SECONDS = 0.25, 0.004
# Each keeps a connection open. granian accepts 1,024, an equal part in each worker: half of them.
MOST_HELD_BY_ALL = 512
# What waits without a thread is kept in memory. No form for visitors is as long.
MOST_KEPT_BYTES = 64 * 1024

Run = Callable[[Any, Any], object]


class HeldAnswers:
    """At most `most` answers to be sent `HELD_SECONDS` later, or later still if many are held.

    One thread sends all of them, `APART_SECONDS` apart.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._waiting: SimpleQueue[tuple[float, Callable[[], object]]] = SimpleQueue()
        Thread(target=self._send_all, name="held-answers", daemon=True).start()

    def hold(self, send: Callable[[], object]) -> None:
        """Call `send` later, or now if too many are held."""
        if self._waiting.qsize() >= self._most:
            send()
        else:
            self._waiting.put((monotonic() + HELD_SECONDS, send))

    def _send_all(self) -> None:
        while True:
            due, send = self._waiting.get()
            sleep(max(0.0, due - monotonic()))
            try:
                send()
            except BaseException:  # one that fails must not keep back all others for good
                logger.exception("A held response could not be sent")
            del send  # granian answers 500 once nothing refers to a response that was not sent
            sleep(APART_SECONDS)


class HoldingProtocol:
    """granian's protocol of one request, except that a refusal is held."""

    __slots__ = ("_held", "_sent_by", "response_iter")

    def __init__(self, protocol: Any, held: HeldAnswers) -> None:
        self._sent_by, self._held = protocol.response_bytes, held
        self.response_iter = protocol.response_iter

    def response_bytes(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        if status == HTTPStatus.TOO_MANY_REQUESTS:
            self._held.hold(lambda: self._sent_by(status, headers, body))
        else:
            self._sent_by(status, headers, body)


class VisitorTurns:
    """Serves at most `most` visitors at once; the others wait in line, without a thread."""

    def __init__(self, run: Run, most: int) -> None:
        self._run, self._most = run, most
        self._lock = Lock()
        self._served = 0
        self._line: deque[tuple[Any, Any]] = deque()

    def serve(self, protocol: Any, scope: Any) -> None:
        """Serve a visitor, and those who have come meanwhile; or leave it in line."""
        if not self._begin():
            keep_body(scope)
            if not self._begin(or_wait=(protocol, scope)):
                return
        turn: tuple[Any, Any] | None = (protocol, scope)
        while turn:
            self._serve_one(*turn)
            turn = self._next()

    def _begin(self, or_wait: tuple[Any, Any] | None = None) -> bool:
        """Begin a turn if one is free, and return whether it was; if not, let this one wait."""
        with self._lock:
            if self._served < self._most:
                self._served += 1
                return True
            if or_wait:
                self._line.append(or_wait)
            return False

    def _next(self) -> tuple[Any, Any] | None:
        """Take the first visitor from the line; if it is empty, end the turn and return None."""
        with self._lock:
            if self._line:
                return self._line.popleft()
            self._served -= 1
            return None

    def _serve_one(self, protocol: Any, scope: Any) -> None:
        try:
            self._run(protocol, scope)
        except BaseException:  # as granian does; the next in line is served whatever this one did
            logger.exception("Application callable raised an exception")
            protocol.response_bytes(HTTPStatus.INTERNAL_SERVER_ERROR, [], b"")


def keep_body(scope: Any) -> None:
    """Read a request's body into memory; a proxy has received it whole. A longer one is lost."""
    length = int(scope.get("CONTENT_LENGTH") or 0)
    if 0 < length <= MOST_KEPT_BYTES:
        scope["wsgi.input"] = BytesIO(scope["wsgi.input"].read(length))


def in_turns(run: Run, is_visitor: Callable[[Any], bool], *, threads: int, workers: int = 1) -> Run:
    """Return granian's function that serves a request, with turns for visitors and held refusals.

    `is_visitor` tells visitors by the headers of a request, named as in WSGI; `threads` are those
    of this process, which is one of `workers`.
    """
    held = HeldAnswers(MOST_HELD_BY_ALL // workers)
    turns = VisitorTurns(run, max(1, threads // 2))

    def serve(protocol: Any, scope: Any) -> None:
        holding = HoldingProtocol(protocol, held)
        if is_visitor(scope):
            turns.serve(holding, scope)
        else:
            run(holding, scope)

    return serve
