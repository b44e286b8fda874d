"""A merchant's server: a process of its own on loopback that notes down all it is sent.

`python -m tests.webhooks.receiver LOG` prints its port and serves until its standard input ends.
What it answers stands in the path: `/say/500,200/any` says 500 to the first request, 200 to the
second and to all that follow; `/say/200/any?sleep=30,0` has the first wait for its answer;
`/trap/drip/any` and its like misbehave.
"""

import json
import socket
import struct
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

ROOT = Path(__file__).parent.parent.parent
DRIP_SECONDS = 0.2


@dataclass(frozen=True)
class Received:
    """One request, with its headers in lower case."""

    at: float
    path: str
    headers: dict[str, str]
    body: bytes


class Receiver:
    """The process, and what it has noted down. `within`: words before its command."""

    def __init__(self, log: Path, *, within: tuple[str, ...] = ()) -> None:
        self.log = log
        log.touch()
        self.process = subprocess.Popen(
            [*within, sys.executable, "-m", "tests.webhooks.receiver", str(log)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout
        self.port = int(self.process.stdout.readline())

    def url(self, path: str) -> str:
        return f"http://localhost:{self.port}{path}"

    def received(self, path: str = "") -> list[Received]:
        """Return the requests to an address, oldest first; to all of them without one."""
        whole, _, _ = self.log.read_text().rpartition("\n")  # a line may be half written
        notes = [json.loads(line) for line in whole.splitlines()]
        return [
            Received(note["at"], note["path"], note["headers"], bytes.fromhex(note["body"]))
            for note in notes
            if not path or note["path"] == urlsplit(path).path
        ]

    def wait_for(self, path: str, count: int, seconds: float = 60) -> list[Received]:
        """Return the requests to an address, once there are that many."""
        deadline = time.monotonic() + seconds
        while len(found := self.received(path)) < count:
            assert time.monotonic() < deadline, f"{len(found)} of {count} at {path}"
            time.sleep(0.02)
        return found

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(60)


class _Notes:
    def __init__(self, log: Path) -> None:
        self._file = log.open("a", buffering=1)
        self._lock = threading.Lock()
        self._seen: Counter[str] = Counter()

    def add(self, handler: "_Handler", body: bytes) -> int:
        """Note a request; return how many came to this address before."""
        path = urlsplit(handler.path).path
        headers = {name.lower(): value for name, value in handler.headers.items()}
        note = {"at": time.time(), "path": path, "headers": headers, "body": body.hex()}
        with self._lock:
            self._file.write(json.dumps(note) + "\n")
            self._seen[path] += 1
            return self._seen[path] - 1


def _of(listed: str, before: int) -> str:
    """Return which of several is the turn of a request, after so many; at last always the last."""
    each = listed.split(",")
    return each[min(before, len(each) - 1)]


class _Handler(BaseHTTPRequestHandler):
    notes: _Notes

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length)
        if len(body) < length:  # its sender was killed halfway: nothing has arrived
            return
        before = self.notes.add(self, body)
        kind, what = urlsplit(self.path).path.split("/")[1:3]
        if kind == "say":
            self._say(int(_of(what, before)), before)
        else:
            getattr(self, f"trap_{what}")()

    def _say(self, status: int, before: int) -> None:
        query = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        time.sleep(float(_of(query.pop("sleep", "0"), before)))
        text = query.pop("text", "").encode()
        self.send_response(status)
        for name, value in query.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def trap_hang(self) -> None:
        time.sleep(60)

    def trap_headdrip(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        self._drip()

    def trap_bodydrip(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        self._drip()

    def trap_continues(self) -> None:
        self._pour(b"HTTP/1.1 100 Continue\r\n\r\n")

    def trap_malformed(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nno colon here\r\n\r\nok")

    def trap_endless(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n")
        self._pour(b"a" * 65_536)

    def trap_reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def _drip(self) -> None:
        for _ in range(1_000):
            self.wfile.write(b"a")
            time.sleep(DRIP_SECONDS)

    def _pour(self, chunk: bytes) -> None:
        while True:
            self.wfile.write(chunk)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, *_: object) -> None:
        """Clients may go away."""


def _serve(log: Path) -> None:
    _Handler.notes = _Notes(log)
    server = _Server(("127.0.0.1", 0), _Handler)
    sys.stdout.write(f"{server.server_port}\n")
    sys.stdout.flush()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()


if __name__ == "__main__":
    _serve(Path(sys.argv[1]))
