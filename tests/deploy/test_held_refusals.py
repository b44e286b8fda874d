"""The web server of production holds refusals, and loses none when a worker ends."""

import http.client
import os
import signal
import socket
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from bench.restarts import PATIENCE_SECONDS, Instance, wait_until
from bench.serving import is_listening
from config.web_requests import HELD_SECONDS
from tests.webhooks.stack import Stack

REFUSED_SECONDS = 3  # at least, so that what is spent has not been recovered before the test ends

pytestmark = [pytest.mark.faults, pytest.mark.sqlite]


def connected(stack: Stack) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", stack.port, timeout=PATIENCE_SECONDS)


def get(connection: http.client.HTTPConnection, path: str) -> http.client.HTTPResponse:
    connection.request("GET", path)
    response = connection.getresponse()
    response.read()
    return response


def spend(stack: Stack) -> None:
    """Print posters until the budget of this network is overspent for some seconds.

    Two at once: a quick machine spends too little on one, and both are in before either is charged.
    """
    for _ in range(20):
        printers = [connected(stack), connected(stack)]
        for printer in printers:
            link = stack.post("/v1/payment-links", {"amount": 1250}).body["url"]  # not printed yet
            printer.request("GET", f"{urlsplit(link).path}/poster-a4.pdf")
        answers = [printer.getresponse() for printer in printers]
        wait = max(int(answer.headers.get("Retry-After", 0)) for answer in answers)
        if wait > REFUSED_SECONDS:
            return
        time.sleep(wait)
    raise AssertionError(f"twenty posters were not refused for {REFUSED_SECONDS} seconds")


def has_arrived(client: socket.socket) -> bool:
    """Return whether the worker has read what was sent to it: none of it waits on either side.

    Its answer may wait at the client by then, where this process was given no time to look.
    """
    ours, theirs = (f":{name[1]:04X}" for name in (client.getsockname(), client.getpeername()))
    sockets = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    queues = {(each[1][-5:], each[2][-5:]): each[4].split(":") for each in sockets}
    [unsent, _], [_, unread] = queues[ours, theirs], queues[theirs, ours]
    return int(unsent, 16) == int(unread, 16) == 0


def test_a_refusal_is_held_and_sent_when_its_worker_ends(tmp_path: Path) -> None:
    with Stack(tmp_path, VISITOR_SECONDS_PER_NETWORK="1") as stack:
        instance = Instance(stack, stack.port)
        wait_until(lambda: is_listening(stack.port))
        wait_until(lambda: stack.get("/healthz").status == 200)
        visitor, late = connected(stack), connected(stack)
        stack.register("https://shop.example.com/hooks")
        spend(stack)

        began = time.monotonic()
        visitor.request("GET", "/v1/nothing")
        refused = visitor.getresponse()

        assert time.monotonic() - began >= HELD_SECONDS
        assert refused.status == 429
        assert b'"code":"RATE_LIMITED"' in refused.read()
        assert int(refused.headers["Retry-After"]) > 0
        assert get(visitor, "/healthz").status == 200

        late.request("GET", "/docs")
        wait_until(lambda: has_arrived(late.sock))
        [worker] = instance.workers()
        os.kill(worker, signal.SIGTERM)
        assert late.getresponse().status == 429
