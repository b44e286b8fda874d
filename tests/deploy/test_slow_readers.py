"""Readers who request large files and take nothing of them leave threads to all others."""

import socket
from contextlib import ExitStack
from pathlib import Path

import pytest
from django.conf import settings

from bench.restarts import Instance, wait_until
from bench.serving import is_listening
from tests.webhooks.stack import Stack

pytestmark = [pytest.mark.faults, pytest.mark.sqlite]

# Four megabytes, far more than the buffers of a connection.
LARGE = "/static/drf_spectacular_sidecar/redoc/bundles/redoc.standalone.js.map"
LITTLE_BYTES = 2_048


def test_readers_who_take_nothing_hold_no_merchant_up(tmp_path: Path) -> None:
    with Stack(tmp_path) as stack, ExitStack() as readers:
        Instance(stack, stack.port)
        wait_until(lambda: is_listening(stack.port))
        wait_until(lambda: stack.get("/healthz").status == 200)
        stack.register("https://shop.example.com/hooks")

        for _ in range(settings.WEB_THREADS + 4):
            reader = readers.enter_context(socket.socket())
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, LITTLE_BYTES)
            reader.connect(("127.0.0.1", stack.port))
            reader.sendall(f"GET {LARGE} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            assert reader.recv(12) in (b"HTTP/1.1 200", b"HTTP/1.1 429")

        assert stack.get("/v1/balance").status == 200
        assert stack.get("/v1/openapi.json").status == 200
