"""What a request says before its body is limited: to read it costs, and no one is charged."""

import http.client
from contextlib import suppress
from pathlib import Path

import pytest

from bench.restarts import Instance, wait_until
from bench.serving import is_listening
from tests.webhooks.stack import Stack

pytestmark = [pytest.mark.faults, pytest.mark.sqlite]


@pytest.mark.parametrize(("bytes_", "status"), [(24 * 1024, 200), (64 * 1024, 431)])
def test_a_large_head_is_refused(tmp_path: Path, bytes_: int, status: int) -> None:
    with Stack(tmp_path) as stack:
        Instance(stack, stack.port)
        wait_until(lambda: is_listening(stack.port))
        wait_until(lambda: stack.get("/healthz").status == 200)
        caller = http.client.HTTPConnection("127.0.0.1", stack.port)

        with suppress(ConnectionError):  # it need not be read to its end
            caller.request("GET", "/healthz", headers={"X-Large": "x" * bytes_})

        assert caller.getresponse().status == status
