"""Restart the service under load, and count the failed requests.

`python -m bench.restarts one`: one instance of `config.web`, reloaded. `nginx`, `caddy`: two
instances behind that proxy, with the configuration of `deploy/`, reloaded one after the other or,
with `--replaced`, stopped and started again, as a changed environment requires. Halfway through,
the newest migration of `core` is reversed and applied again. Loopback only; it ends on its own, and
exits 1 if a request failed.
"""

import argparse
import http.client
import json
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bench.endings import end_in_order
from bench.output import say
from bench.proxies import PROXIES
from bench.serving import WORKERS, Stagehand, free_port, is_listening, production

if TYPE_CHECKING:
    from tests.webhooks.stack import Stack

CLIENTS = 4
MOST_SECONDS = 420.0
PATIENCE_SECONDS = 300  # for a machine shared with others
PROXY_LOG = "proxy.log"
BEFORE_LAST_MIGRATION = "0005"


class Load:
    """Clients that together send `rate` requests a second, each on a new connection."""

    def __init__(self, port: int, key: str, *, rate: int) -> None:
        self.port, self.key, self.pause = port, key, CLIENTS / rate
        self.outcomes: Counter[str] = Counter()
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._send_all) for _ in range(CLIENTS)]

    def __enter__(self) -> "Load":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    @property
    def failed(self) -> int:
        return sum(count for outcome, count in self.outcomes.items() if outcome[0] != "2")

    def _send_all(self) -> None:
        due = time.monotonic()
        ends = due + MOST_SECONDS
        while not self._over.is_set() and time.monotonic() < ends:
            for method, path, body in (
                ("POST", "/v1/payments", {"amount": 1_250}),
                ("GET", "/v1/payments?limit=1", None),
            ):
                self.outcomes[self._send(method, path, body)] += 1
                due += self.pause
                self._over.wait(max(0.0, due - time.monotonic()))

    def _send(self, method: str, path: str, body: object) -> str:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
        headers = {
            "Authorization": f"Bearer {self.key}",
            "Content-Type": "application/json",
            "Host": "bench.localhost",
            "X-Forwarded-Proto": "https",
        }
        try:
            connection.request(method, path, json.dumps(body) if body else None, headers)
            answer = connection.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException) as error:
            return type(error).__name__
        finally:
            connection.close()
        return str(answer.status)


class Instance:
    """One web server that can be reloaded by SIGHUP, or stopped and started again."""

    def __init__(self, stack: "Stack", port: int) -> None:
        self.stack, self.port = stack, port
        self.process = self._start()

    def _start(self) -> "subprocess.Popen[bytes]":
        self.stack.environment["PORT"] = str(self.port)
        return self.stack.run("-m", "config.web")

    def workers(self) -> set[int]:
        """Return the ids of the worker processes."""
        return children_of(self.process.pid)

    def wait_until_awake(self) -> None:
        """Wait until all workers are running, and one has answered."""
        wait_until(lambda: is_listening(self.port) and len(self.workers()) == WORKERS)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
        connection.request("GET", "/healthz", headers={"X-Forwarded-Proto": "https"})
        assert connection.getresponse().status == http.HTTPStatus.OK
        connection.close()

    def reload(self) -> None:
        """Replace every worker, and wait until that is done."""
        before = self.workers()
        self.process.send_signal(signal.SIGHUP)
        wait_until(lambda: len(self.workers()) == len(before) and not self.workers() & before)

    def replace(self) -> None:
        """Stop the process, start it again, and wait until it answers."""
        self.process.terminate()
        self.process.wait(PATIENCE_SECONDS)
        self.process = self._start()
        self.wait_until_awake()


def children_of(pid: int) -> set[int]:
    """Return the ids of the processes that a process has started."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    return {int(number) for number in children.read_text().split()}


def wait_until(is_so: object) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_so():  # type: ignore[operator]  # a function
        assert time.monotonic() < deadline
        time.sleep(0.05)


@contextmanager
def front(name: str, ports: list[int], directory: Path) -> Iterator[int]:
    """Start a proxy in front of these ports, if one is named; yield the port for clients."""
    if name == "one":
        yield ports[0]
        return
    port = free_port()
    command = PROXIES[name](directory, port, ports)
    with (directory / PROXY_LOG).open("wb") as log:
        proxy = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        wait_until(lambda: is_listening(port))
        yield port
    finally:
        proxy.terminate()
        proxy.wait(10)


def run(name: str, *, restarts: int, rate: int, replaced: bool = False) -> Load:
    """Restart so many times under load; return the load with its outcomes."""
    directory = Path(tempfile.mkdtemp(prefix="payments-restarts-"))
    directory.chmod(0o711)
    with ExitStack() as closing:
        closing.callback(shutil.rmtree, directory, ignore_errors=True)
        stack, _ = closing.enter_context(production(directory))
        stage = closing.enter_context(Stagehand(stack)).stage
        ports = [free_port() for _ in range(1 if name == "one" else 2)]
        instances = [Instance(stack, port) for port in ports]
        for instance in instances:
            instance.wait_until_awake()
        port = closing.enter_context(front(name, ports, directory))
        with Load(port, stage.keys["shop"], rate=rate) as load:
            for number in range(restarts):
                time.sleep(1)
                instance = instances[number % len(instances)]
                instance.replace() if replaced else instance.reload()
                if number == restarts // 2:
                    migrate(stack)
                say(f"restart {number + 1}: {dict(load.outcomes)}")
            time.sleep(1)
        if load.failed and name != "one":
            sys.stdout.write(refusals(directory))
    return load


def refusals(directory: Path) -> str:
    """Return the proxy's error messages, with their counts."""
    messages = re.findall(r'"(?:error|msg)":"([^"]+)"', (directory / PROXY_LOG).read_text())
    return "".join(f"{count} times {words}\n" for words, count in Counter(messages).most_common(12))


def migrate(stack: "Stack") -> None:
    """Reverse the newest migration and apply it again, like a rollback and a release."""
    for target in ([BEFORE_LAST_MIGRATION], []):
        words = ["manage.py", "migrate", "core", *target, "--verbosity", "0"]
        assert stack.run(*words).wait(PATIENCE_SECONDS) == 0, stack.words()


def main() -> None:
    end_in_order()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("front", choices=["one", *PROXIES])
    parser.add_argument("--restarts", type=int, default=10)
    parser.add_argument("--rate", type=int, default=50, help="requests a second")
    parser.add_argument("--replaced", action="store_true", help="by new processes, not by SIGHUP")
    options = parser.parse_args()
    load = run(
        options.front, restarts=options.restarts, rate=options.rate, replaced=options.replaced
    )
    total = load.outcomes.total()
    sys.stdout.write(f"{load.failed} of {total} failed, {options.restarts} restarts\n")
    sys.exit(1 if load.failed or not total else 0)


if __name__ == "__main__":
    main()
