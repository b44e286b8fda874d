"""The web server of production: `python -m config.web`. SIGHUP reloads it without losing a request.

It is granian, with four differences. Its workers share one listening socket, which stays open for
as long as this process lives: granian gives each its own, and what waits there for a worker that
ends is reset. A worker ends only once the one in its place has loaded the service: granian waits
for some seconds, ready or not. A new one that cannot start changes nothing: the old one goes on.
A worker is given a connection only once its request is there: granian closes those on which it has
read nothing when it ends, and a request may just be on its way. And before this process ends, it
takes no new connection, only those that are waiting: they would be cut off with the socket.
"""

import ctypes
import multiprocessing
import socket
import struct
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing.synchronize import Event
from typing import Any

from granian.constants import HTTPModes, Interfaces
from granian.log import logger
from granian.net import SocketSpec  # type: ignore[attr-defined]  # where granian has it from
from granian.server.mp import MPServer

from config.environment import env

READY_SECONDS = 120
POLL_SECONDS = 0.05
STOP_SECONDS = 30
SILENT_SECONDS = 10  # after which a connection without a request is given to a worker as well
DRAIN_SECONDS = 0.5  # less than the second after which a connection is asked for again
_SO_ATTACH_FILTER = 26
# A program for the kernel's packet filter. Of a segment's flags (byte 13), it looks at SYN and ACK:
# what has the first alone asks for a connection and is dropped, all else is let through.
_NO_NEWCOMERS = b"".join(
    struct.pack("HBBI", *instruction)
    for instruction in (
        (0x30, 0, 0, 13),  # load the byte
        (0x54, 0, 0, 0x12),  # keep two of its bits
        (0x15, 0, 1, 0x02),  # unless they are SYN alone, skip one
        (0x06, 0, 0, 0),  # drop
        (0x06, 0, 0, 65_535),  # let through
    )
)


class PatientServer(MPServer):
    """Several worker processes behind one socket, replaced one by one when they are ready."""

    def _init_shared_socket(self) -> None:
        self._ssp = None
        listener: Any = SocketSpec(self.bind_addr, self.bind_port, self.backlog).build()
        self._shd, self._sfd = listener, listener.get_fd()
        self._sso = socket.socket(fileno=self._sfd)
        self._sso.set_inheritable(True)
        if defer := getattr(socket, "TCP_DEFER_ACCEPT", None):  # where the kernel has it
            self._sso.setsockopt(socket.IPPROTO_TCP, defer, SILENT_SECONDS)

    def shutdown(self, exit_code: int = 0) -> None:
        """Serve what has connected, and end. What connects meanwhile is refused on its retry."""
        if self._sso and sys.platform == "linux":
            turn_newcomers_away(self._sso)
            time.sleep(DRAIN_SECONDS)
        super().shutdown(exit_code)  # type: ignore[no-untyped-call]  # granian's

    def _respawn_workers(
        self,
        workers: Sequence[int],
        spawn_target: Callable[..., None],
        target_loader: Callable[..., Any],
        delay: float = 0,
    ) -> None:
        """Replace each worker once the new one is ready; keep it where that one is not."""
        for place in workers:
            old: Any = self.wrks[place]
            if not old.is_alive():  # nothing goes on without a new one
                super()._respawn_workers([place], spawn_target, target_loader)
                continue
            self.respawned_wrks[place] = time.monotonic()
            ready = multiprocessing.Event()
            new: Any = self._spawn_worker(
                idx=place,
                target=spawn_target,
                callback_loader=partial(_load_and_tell, target_loader, ready),
            )
            new.inner.start()
            if not self._is_ready(new, ready):
                logger.error(f"Worker-{place + 1} did not start: the old one goes on.")
                new.kill()
                continue
            self.wrks[place] = new
            new._watch()
            _end(old)

    def _is_ready(self, worker: Any, ready: Event) -> bool:
        """Wait until a worker has loaded the service. False where it ends, or takes too long."""
        deadline = time.monotonic() + READY_SECONDS
        while not ready.wait(POLL_SECONDS):
            if self.interrupt_signal or not worker.is_alive() or time.monotonic() > deadline:
                return False
        return True


def turn_newcomers_away(listener: socket.socket) -> None:
    """Let no one else connect, and leave those alone who have."""
    filters = ctypes.create_string_buffer(_NO_NEWCOMERS, len(_NO_NEWCOMERS))
    program = struct.pack("HP", len(_NO_NEWCOMERS) // 8, ctypes.addressof(filters))
    listener.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, program)


def _load_and_tell(load: Callable[..., Any], ready: Event) -> Any:
    """Load the service in a new worker, and tell its parent."""
    application = load()
    ready.set()
    return application


def _end(worker: Any) -> None:
    """Let a worker finish the requests that it has taken."""
    worker.terminate()
    worker.join(STOP_SECONDS)
    if worker.is_alive():
        worker.kill()


def main() -> None:
    """Serve until SIGTERM."""
    PatientServer(
        "config.wsgi:application",
        address=env("HOST"),
        port=env("PORT"),
        interface=Interfaces.WSGI,
        http=HTTPModes.http1,
        websockets=False,
        workers=env("WEB_WORKERS"),
        blocking_threads=env("WEB_THREADS"),
        respawn_failed_workers=True,
        workers_kill_timeout=STOP_SECONDS,
    ).serve()


if __name__ == "__main__":
    main()
