"""The web server of production is reloaded under load, and loses no request."""

import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bench.restarts import PATIENCE_SECONDS, Instance, children_of, run, wait_until
from bench.serving import free_port, is_listening
from config.web import drop_new_connections
from tests.source_tree import ROOT
from tests.webhooks.stack import Stack

pytestmark = [pytest.mark.faults, pytest.mark.sqlite]
BY_DAY_ADDED = "only config/web.py can break it; by day it takes up a release with a new setting"
BY_DAY_REPLACED = "by day a worker is replaced, and the sockets are tested without servers"


@pytest.mark.night(BY_DAY_REPLACED)
def test_a_reload_and_a_migration_lose_no_request() -> None:
    load = run("one", restarts=2, rate=20)

    assert load.outcomes.total() > 20
    assert load.failed == 0, load.outcomes


@pytest.mark.night(BY_DAY_REPLACED)
def test_a_request_that_follows_the_end_of_a_worker_is_answered_by_the_next(tmp_path: Path) -> None:
    """A proxy has connected, and sends its request when the worker that was there has ended."""
    with Stack(tmp_path) as stack:
        instance = Instance(stack, stack.port)
        wait_until(lambda: is_listening(stack.port))
        connections = [
            http.client.HTTPConnection("127.0.0.1", stack.port, timeout=PATIENCE_SECONDS)
            for _ in range(4)
        ]
        for connection in connections:
            connection.connect()
        wait_until(lambda: stack.get("/healthz").status == 200)  # what came before it was seen

        [worker] = instance.workers()
        os.kill(worker, signal.SIGTERM)
        wait_until(lambda: worker not in instance.workers())
        for connection in connections:
            connection.request("GET", "/healthz")

        assert [connection.getresponse().status for connection in connections] == [200] * 4


@contextmanager
def server_of_a_copy(directory: Path) -> Iterator[tuple[Path, "subprocess.Popen[str]", int]]:
    """Start the web server from a copy of the code, which is then changed; yield its port, too."""
    code, port = directory / "code", free_port()
    shutil.copytree(ROOT, code, ignore=shutil.ignore_patterns(".*", "var", "tests", "bench"))
    environment = os.environ | {
        "DATABASE_URL": f"sqlite:///{directory}/db.sqlite3",
        "DEVELOPMENT_MODE": "true",
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "PORT": str(port),
    }
    with subprocess.Popen(
        [sys.executable, "-m", "config.web"],
        cwd=code,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    ) as web:
        assert web.stdout
        next(line for line in web.stdout if "Started worker-1" in line)
        try:
            yield code, web, port
        finally:
            web.terminate()
            web.communicate()


def said_of_worker(web: "subprocess.Popen[str]") -> str:
    """Reload the server, and return what it says of its worker."""
    assert web.stdout
    web.send_signal(signal.SIGHUP)
    return next(line for line in web.stdout if "Worker-1" in line)


def test_a_release_may_add_a_setting(tmp_path: Path) -> None:
    with server_of_a_copy(tmp_path) as (code, web, _):
        for name in ("config/environment.py", "config/settings.py"):
            text = (code / name).read_text()
            (code / name).write_text(text.replace('"SUPPORT_EMAIL"', '"ADDED_EMAIL"'))

        assert "Worker-1 was replaced" in said_of_worker(web)


@pytest.mark.night(BY_DAY_ADDED)
def test_a_release_that_tells_visitors_otherwise_leaves_the_old_worker(tmp_path: Path) -> None:
    """The process that reloads it asks for them by a name of its own release."""
    with server_of_a_copy(tmp_path) as (code, web, _):
        visitors = code / "config/visitors.py"
        visitors.write_text(visitors.read_text().replace("is_visitor", "is_stranger"))

        assert "Worker-1 did not start" in said_of_worker(web)


@pytest.mark.night(BY_DAY_ADDED)
def test_a_release_without_turns_is_served_without(tmp_path: Path) -> None:
    """As while an earlier one is checked out, to be started next."""
    with server_of_a_copy(tmp_path) as (code, web, port):
        (code / "config/web_requests.py").unlink()
        [old] = children_of(web.pid)

        assert "Worker-1 was replaced" in said_of_worker(web)
        wait_until(lambda: old not in children_of(web.pid))
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
        connection.request("GET", "/healthz")
        assert connection.getresponse().status == 200


@pytest.mark.night(BY_DAY_REPLACED)
def test_before_it_exits_it_says_so_and_serves_all_the_same(tmp_path: Path) -> None:
    """A proxy that asks has time to go elsewhere: it must not repeat a POST."""
    with Stack(tmp_path) as stack:
        instance = Instance(stack, stack.port)
        wait_until(lambda: is_listening(stack.port))
        wait_until(lambda: stack.get("/readyz").status == 200)
        stack.register("https://shop.example.com/hooks")

        instance.process.terminate()
        wait_until(lambda: stack.get("/healthz").status == 503)

        assert stack.pay().status == 201
        assert stack.get("/readyz").status == 503
        assert instance.process.wait(PATIENCE_SECONDS) == 0


def test_before_it_exits_it_accepts_only_connections_already_made() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = listener.getsockname()
        with socket.create_connection(address, timeout=10) as connected:
            assert drop_new_connections(listener)

            with pytest.raises(TimeoutError):
                socket.create_connection(address, timeout=0.3)
            connected.sendall(b"request")
            taken, _ = listener.accept()
            with taken:
                assert taken.recv(100) == b"request"
                taken.sendall(b"answer")
            assert connected.recv(100) == b"answer"


def test_elsewhere_than_on_linux_new_connections_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("config.web.sys.platform", "darwin")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        assert not drop_new_connections(listener)

        with socket.create_connection(listener.getsockname(), timeout=10) as connected:
            assert connected.getpeername() == listener.getsockname()


def test_a_kernel_that_refuses_the_filter_does_not_keep_it_from_exiting() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    listener.close()

    assert not drop_new_connections(listener)
