"""What a request says before its body is limited: to read it costs, and no one is charged."""

import http.client
from contextlib import suppress
from pathlib import Path

import pytest

from bench.restarts import Instance, wait_until
from bench.serving import is_listening
from tests.webhooks.stack import Stack

pytestmark = [pytest.mark.faults, pytest.mark.sqlite]


def test_a_large_head_is_refused(tmp_path: Path) -> None:
    with Stack(tmp_path) as stack:
        Instance(stack, stack.port)
        wait_until(lambda: is_listening(stack.port))
        wait_until(lambda: stack.get("/healthz").status == 200)

        assert [_status(stack.port, size) for size in (24 * 1024, 64 * 1024)] == [200, 431]


def _status(port: int, size: int) -> int:
    caller = http.client.HTTPConnection("127.0.0.1", port)
    with suppress(ConnectionError):  # it need not be read to its end
        caller.request("GET", "/healthz", headers={"X-Large": "x" * size})
    return caller.getresponse().status
