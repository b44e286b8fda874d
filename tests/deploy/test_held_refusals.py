"""The web server of production holds refusals, and loses none when a worker ends."""

import http.client
import os
import signal
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


def spend(stack: Stack, connection: http.client.HTTPConnection) -> None:
    """Print posters until the budget of this network is overspent for some seconds."""
    for _ in range(20):
        link = stack.post("/v1/payment-links", {"amount": 1250}).body["url"]  # not printed before
        response = get(connection, f"{urlsplit(link).path}/poster-a4.pdf")
        wait = int(response.headers.get("Retry-After", 0))
        if wait > REFUSED_SECONDS:
            return
        time.sleep(wait)
    raise AssertionError(f"twenty posters were not refused for {REFUSED_SECONDS} seconds")


def test_a_refusal_is_held_and_sent_when_its_worker_ends(tmp_path: Path) -> None:
    with Stack(tmp_path, VISITOR_SECONDS_PER_NETWORK="1") as stack:
        instance = Instance(stack, stack.port)
        wait_until(lambda: is_listening(stack.port))
        wait_until(lambda: stack.get("/healthz").status == 200)
        visitor, late = connected(stack), connected(stack)
        stack.register("https://shop.example.com/hooks")
        spend(stack, visitor)

        began = time.monotonic()
        visitor.request("GET", "/v1/nothing")
        refused = visitor.getresponse()

        assert time.monotonic() - began >= HELD_SECONDS
        assert refused.status == 429
        assert b'"code":"RATE_LIMITED"' in refused.read()
        assert int(refused.headers["Retry-After"]) > 0
        assert get(visitor, "/healthz").status == 200

        late.request("GET", "/docs")
        time.sleep(HELD_SECONDS / 2)  # until the worker has it
        [worker] = instance.workers()
        os.kill(worker, signal.SIGTERM)
        assert late.getresponse().status == 429
