"""Text messages go to the console or to a gateway, whose address is never shown."""

import json
import logging
import socket
import struct
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from django.db import transaction
from django.utils import translation
from pytest_django import Settings

from core.formats import moment_of, money
from messages import sms
from messages.errors import Fault, MessageNotSent
from messages.sms import send

pytestmark = pytest.mark.django_db


class Gateway(HTTPServer):
    """A gateway on this machine that answers with `status`, after `delay` seconds."""

    status = 200
    delay = 0.0
    requests: list[tuple[str, dict[str, str], dict[str, str]]]


class SmsHandler(BaseHTTPRequestHandler):
    server: Gateway

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.requests.append((self.path, dict(self.headers), json.loads(body)))
        time.sleep(self.server.delay)
        self.send_response(self.server.status)
        self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments: object) -> None:
        """Keep quiet."""


@pytest.fixture
def gateway(settings: Settings) -> Iterator[Gateway]:
    server = Gateway(("127.0.0.1", 0), SmsHandler)
    server.requests = []
    settings.SMS_URL = f"http://user:s3cret@127.0.0.1:{server.server_port}/send?key=hush"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def test_the_console_shows_it(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    settings.SMS_URL = "console://"
    send(to="+12423591234", text="123456 is your code")

    assert capsys.readouterr().out == "Text message to +12423591234:\n123456 is your code\n"


def test_the_gateway_gets_it(gateway: Gateway) -> None:
    send(to="+12423591234", text="123456 is your code")

    [(path, headers, body)] = gateway.requests
    assert path == "/send?key=hush"
    assert headers["Authorization"] == "Basic dXNlcjpzM2NyZXQ="
    assert headers["Content-Type"] == "application/json"
    assert body == {"to": "+12423591234", "text": "123456 is your code"}


def test_the_gateway_gets_ordinary_spaces(gateway: Gateway) -> None:
    """With others, half as many letters fit into one message: amounts and times have them."""
    for language in ("en", "fr"):
        with translation.override(language):
            until = moment_of(datetime(2026, 3, 19, 15, 4, tzinfo=UTC), "America/Nassau")
            send(to="+12423591234", text=f"{money(150_000, 'BSD')}, {until}")

    texts = [body["text"] for _, _, body in gateway.requests]
    assert texts == ["B$1,500.00, 19 Mar 2026, 11:04 am", "1 500,00 B$, 19 mars 2026, 11:04"]


def test_each_attempt_bears_the_same_reference(gateway: Gateway) -> None:
    for _ in range(2):
        send(to="+12423591234", text="Hello.", reference="msg_1")
    send(to="+12423591234", text="123456 is your code")

    keys = [headers.get("Idempotency-Key") for _, headers, _ in gateway.requests]
    assert keys == ["msg_1", "msg_1", None]


@pytest.mark.parametrize(
    ("status", "fault"),
    [
        (302, Fault.TEMPORARY),
        (400, Fault.REFUSED),
        (401, Fault.TEMPORARY),
        (403, Fault.TEMPORARY),
        (404, Fault.REFUSED),
        (422, Fault.REFUSED),
        (429, Fault.TEMPORARY),
        (500, Fault.TEMPORARY),
        (503, Fault.TEMPORARY),
    ],
)
def test_what_is_sent_again_depends_on_the_answer(
    gateway: Gateway, status: int, fault: Fault
) -> None:
    gateway.status = status
    with pytest.raises(MessageNotSent) as refusal:
        send(to="+12423591234", text="Hello.")

    assert refusal.value.fault == fault
    assert refusal.value.reason == f"SMS gateway: {status}"


@pytest.mark.parametrize("status", [301, 307, 400, 401, 500])
def test_a_refusal_keeps_every_secret(
    gateway: Gateway, caplog: pytest.LogCaptureFixture, status: int
) -> None:
    gateway.status = status
    with caplog.at_level(logging.DEBUG), pytest.raises(MessageNotSent) as refusal:
        send(to="+12423591234", text="123456 is your code")

    assert len(gateway.requests) == 1
    assert f"the SMS gateway refused a message: {status}" in caplog.text
    told = caplog.text + repr(refusal.value) + str(refusal.value.body)
    assert not [secret for secret in ("s3cret", "hush", "123456", "359") if secret in told]
    assert refusal.value.status == 503
    assert refusal.value.__cause__ is None
    assert refusal.value.__suppress_context__


@pytest.mark.parametrize(
    ("status", "level"), [(400, "WARNING"), (422, "WARNING"), (404, "ERROR"), (500, "ERROR")]
)
def test_a_dead_number_raises_no_alarm(
    gateway: Gateway, caplog: pytest.LogCaptureFixture, status: int, level: str
) -> None:
    """Anyone can enter one: what is logged as an error, they could have logged at will."""
    gateway.status = status
    with pytest.raises(MessageNotSent):
        send(to="+12423591234", text="123456 is your code")

    assert [record.levelname for record in caplog.records] == [level]


def test_a_gateway_that_is_away_keeps_every_secret(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.SMS_URL = "http://user:s3cret@127.0.0.1:9/send?key=hush"
    with caplog.at_level(logging.DEBUG), pytest.raises(MessageNotSent) as refusal:
        send(to="+12423591234", text="123456 is your code")

    assert refusal.value.fault == Fault.UNREACHED
    assert refusal.value.reason == "SMS gateway: ConnectionError (Connection refused)"
    assert caplog.records == []


def test_a_gateway_that_hangs_is_given_up(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sms, "TIMEOUT_SECONDS", (0.2, 0.2))
    gateway.delay = 0.5
    with pytest.raises(MessageNotSent) as refusal:
        send(to="+12423591234", text="123456 is your code")

    assert refusal.value.fault == Fault.UNKNOWN  # it may have taken it all the same


def test_a_gateway_that_hangs_before_anything_is_sent_is_not_reached(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The machine takes the connection of a process that is stopped."""
    monkeypatch.setattr(sms, "TIMEOUT_SECONDS", (0.2, 0.2))
    with socket.create_server(("127.0.0.1", 0)) as server:
        settings.SMS_URL = f"https://127.0.0.1:{server.getsockname()[1]}/send"
        with pytest.raises(MessageNotSent) as refusal:
            send(to="+12423591234", text="123456 is your code")

    assert refusal.value.fault == Fault.UNREACHED


def test_a_gateway_that_breaks_off_before_anything_is_sent_is_not_reached(
    settings: Settings,
) -> None:
    """As a proxy does that has lost the process behind it."""

    def reset() -> None:
        connection, _ = server.accept()
        connection.recv(4096)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()

    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor(1) as gateway:
        settings.SMS_URL = f"https://127.0.0.1:{server.getsockname()[1]}/send"
        gateway.submit(reset)
        with pytest.raises(MessageNotSent) as refusal:
            send(to="+12423591234", text="123456 is your code")

    assert refusal.value.fault == Fault.UNREACHED


def test_it_refuses_to_send_inside_a_transaction(gateway: Gateway) -> None:
    with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
        send(to="+12423591234", text="123456 is your code")

    assert gateway.requests == []
