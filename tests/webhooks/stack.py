"""The service as it runs: web server and dispatchers in processes of their own, to be killed."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from config.environment import VARIABLES
from tests import template
from tests.orphans import ending_with_us
from tests.run_environment import VALUES

ROOT = Path(__file__).parent.parent.parent
START_SECONDS = 300  # where others have the machine
MIGRATE_SECONDS = 600
CELERY_WORKER = (
    "celery",
    "--app",
    "config",
    "worker",
    "-Q",
    "webhooks",
    "-P",
    "threads",
    "-c",
    "4",
)


@dataclass(frozen=True)
class Reply:
    """What the web server answered, and after how many seconds."""

    status: int
    body: dict[str, Any]
    seconds: float
    replayed: bool


class Stack:
    """Use as a context: at its end, no process is left. Keywords are environment variables.

    `migrated`: the database of that DATABASE_URL has its tables; one of SQLite is made with them.
    """

    root = ROOT

    def __init__(self, directory: Path, *, migrated: bool = False, **environment: str) -> None:
        self.port = _free_port()
        self.log = directory / "log"
        ours = {*VARIABLES, "DEVELOPMENT_FILE", "DJANGO_SETTINGS_MODULE"}
        kept = {name: value for name, value in os.environ.items() if name not in ours}
        self.environment = kept | {
            **VALUES,
            "DATABASE_URL": f"sqlite:///{directory}/db.sqlite3",
            "BASE_URL": f"http://localhost:{self.port}",
            "DEVELOPMENT_FILE": "",
            "DEVELOPMENT_MODE": "true",
            **environment,
        }
        self.running: list[subprocess.Popen[bytes]] = []
        self.key = ""
        is_elsewhere = "DATABASE_URL" in environment
        if not (migrated if is_elsewhere else template.use(directory / "db.sqlite3")):
            self._migrate()

    def _migrate(self) -> None:
        with ExitStack() as unless_ready:
            unless_ready.callback(self.end_all)
            migrating = self.run("manage.py", "migrate", "--verbosity", "0")
            assert migrating.wait(MIGRATE_SECONDS) == 0, self.words()
            unless_ready.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end_all()

    def end_all(self) -> None:
        """Kill what still runs."""
        for process in self.running:
            if process.poll() is None:
                self.kill(process)

    def run(self, *words: str, within: tuple[str, ...] = ()) -> "subprocess.Popen[bytes]":
        """Start Python with these words; `within`: words before its command."""
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                [*within, *ending_with_us(signal.SIGTERM), sys.executable, *words],
                cwd=self.root,
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.running.append(process)
        return process

    def words(self) -> str:
        """What the processes have said, for a test that fails."""
        return self.log.read_text(errors="replace")[-4_000:]

    def start_web(self) -> "subprocess.Popen[bytes]":
        """Start the web server and wait until it answers."""
        place = ["--host", "127.0.0.1", "--port", str(self.port), "--no-ws"]
        web = self.run("-m", "granian", "--interface", "wsgi", *place, "config.wsgi:application")
        self._wait_until(lambda: self.get("/healthz").status == 200)
        return web

    def start_worker(self) -> "subprocess.Popen[bytes]":
        """Start the dispatcher as it runs without a broker."""
        return self.run("manage.py", "worker")

    def start_celery(self) -> "subprocess.Popen[bytes]":
        """Start the dispatcher as it runs in production."""
        return self.run("-m", *CELERY_WORKER)

    def kill(self, process: "subprocess.Popen[bytes]") -> None:
        """End a process at once, with all of its children, at whatever line it is."""
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def register(self, url: str) -> None:
        """Register a merchant whose test key is used from now on, with one endpoint."""
        self.key = ""
        merchant = {"name": "Shop", "email": "shop@example.com"}
        self.key = self.post("/v1/merchants", merchant).body["api_keys"]["test"]
        reply = self.post("/v1/webhooks", {"url": url, "events": ["*"]})
        assert reply.status == 201, reply

    def pay(self) -> Reply:
        """Create a payment, which is one event."""
        return self.post("/v1/payments", {"amount": 1250})

    def get(self, path: str) -> Reply:
        return self._call("GET", path, None)

    def post(self, path: str, body: dict[str, Any], *, key: str = "") -> Reply:
        return self._call("POST", path, json.dumps(body).encode(), key)

    def _call(self, method: str, path: str, body: bytes | None, key: str = "") -> Reply:
        headers = {"Content-Type": "application/json"}
        if key:
            headers["Idempotency-Key"] = key
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", body, headers, method=method
        )
        started = time.monotonic()
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                status, text, said = answer.status, answer.read(), answer.headers
        except urllib.error.HTTPError as error:
            status, text, said = error.code, error.read(), error.headers
        seconds = time.monotonic() - started
        return Reply(status, json.loads(text), seconds, "Idempotent-Replayed" in said)

    def _wait_until(self, is_so: Any) -> None:
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                if is_so():
                    return
            except OSError:
                pass
            assert time.monotonic() < deadline, self.words()
            time.sleep(0.05)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
