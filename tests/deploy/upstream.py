"""What stands behind a proxy in place of the service."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Upstream(BaseHTTPRequestHandler):
    """Answers 201 once it has read a body whole."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()

    def do_POST(self) -> None:
        self.send_response(201 if self._is_whole() else 400)
        self.end_headers()

    def _is_whole(self) -> bool:
        length = self.headers["Content-Length"]
        if length is not None:
            return len(self.rfile.read(int(length))) == int(length)
        while size := int(self.rfile.readline() or b"-1", 16):  # in chunks, up to an empty one
            if size < 0 or len(self.rfile.read(size + 2)) < size + 2:
                return False
        return True

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Refusing(Upstream):
    """Refuses a body without reading it, and closes, as the service does if no one is signed in."""

    def do_POST(self) -> None:
        self.send_response(403)
        self.end_headers()


@contextmanager
def listening(port: int = 0, *, handler: type[Upstream] = Upstream) -> Iterator[int]:
    """Answer on a port, any free one unless it is given; yield which."""
    with ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()
