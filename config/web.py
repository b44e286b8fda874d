"""The web server of production: `python -m config.web`. SIGHUP reloads it without losing a request.

This process loads no code of the release: it survives reloads, and its workers would inherit what
it has loaded.

It is granian, with these differences. The workers share one listening socket, which stays open
while this process lives; granian gives each its own, and when a worker ends, connections that
wait there are reset. A worker ends only when its replacement has loaded the service; granian waits
for some seconds, ready or not. If the replacement cannot start, the old worker continues.
A connection is accepted only when data has arrived (TCP_DEFER_ACCEPT), as on exit granian closes
connections that it has read nothing from, although a request may be in flight. And before exiting,
this process answers probes with 503 until proxies that probe have switched to another server; then
it stops accepting new connections and serves those in its queue. Visitors are served in turns, and
refusals are held (`config.web_requests`). And a request whose line and headers exceed 32 KB
is refused with 431: granian reads 400 KB of them, which is charged to no one.
"""

import ctypes
import multiprocessing
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing.synchronize import Event
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import logger
from granian.net import SocketSpec  # type: ignore[attr-defined]  # where granian has it from
from granian.server import mp
from granian.server.mp import MPServer

READY_SECONDS = 120
POLL_SECONDS = 0.05
STOP_SECONDS = 30
SILENT_SECONDS = 10  # a connection without data is accepted after this
PROBES = ("/healthz", "/readyz")  # as in `config.probes`, which this process must not load
LEAVE_SECONDS = 2.5  # a proxy probes every second, and may wait for the response
DRAIN_SECONDS = 0.5  # shorter than TCP's first SYN retry (1 s)
_SO_ATTACH_FILTER = 26
# Classic BPF on the TCP header: drop SYN without ACK, pass the rest.
_DROP_SYN = b"".join(
    struct.pack("HBBI", *instruction)
    for instruction in (
        (0x30, 0, 0, 13),  # load the flags
        (0x54, 0, 0, 0x12),  # keep SYN and ACK
        (0x15, 0, 1, 0x02),  # unless SYN alone, skip one
        (0x06, 0, 0, 0),  # drop
        (0x06, 0, 0, 65_535),  # pass
    )
)


class PatientServer(MPServer):
    """Several worker processes behind one socket, each replaced when its successor is ready."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        # Without a lock, which a killed worker could hold for ever.
        self._leaving: Any = multiprocessing.RawValue(ctypes.c_bool, False)

    def _serve(self, spawn_target: Callable[..., None], target_loader: Callable[..., Any]) -> None:
        """Let every worker load the service with its turns: only then it is ready."""
        load = partial(_load_in_turns, target_loader)
        super()._serve(spawn_target, load)  # type: ignore[no-untyped-call]  # granian's

    def _spawn_worker(  # type: ignore[override]  # as the class above has it
        self, idx: int, target: Any, callback_loader: Callable[..., Any]
    ) -> Any:
        load = partial(_load_with_probes, callback_loader, self._leaving)
        return super()._spawn_worker(idx, target, load)

    def _init_shared_socket(self) -> None:
        self._ssp = None
        listener: Any = SocketSpec(self.bind_addr, self.bind_port, self.backlog).build()
        self._shd, self._sfd = listener, listener.get_fd()
        self._sso = socket.socket(fileno=self._sfd)
        self._sso.set_inheritable(True)
        if defer := getattr(socket, "TCP_DEFER_ACCEPT", None):  # where the kernel has it
            self._sso.setsockopt(socket.IPPROTO_TCP, defer, SILENT_SECONDS)

    def shutdown(self, exit_code: int = 0) -> None:
        """Fail the probes of proxies, serve established connections, then exit.

        A dropped SYN is retried, and refused then, so proxies that do not probe go elsewhere too.
        """
        workers: Sequence[Any] = self.wrks
        if any(worker.is_alive() for worker in workers):
            self._leaving.value = True
            time.sleep(LEAVE_SECONDS)
        if self._sso and drop_new_connections(self._sso):
            time.sleep(DRAIN_SECONDS)
        super().shutdown(exit_code)  # type: ignore[no-untyped-call]  # granian's

    def _respawn_workers(
        self,
        workers: Sequence[int],
        spawn_target: Callable[..., None],
        target_loader: Callable[..., Any],
        delay: float = 0,
    ) -> None:
        """Replace each worker once its successor is ready; keep it if that one fails to start."""
        for place in workers:
            old: Any = self.wrks[place]
            if not old.is_alive():  # there is no old one to keep
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
            logger.info(f"Worker-{place + 1} was replaced.")
            _end(old)

    def _is_ready(self, worker: Any, ready: Event) -> bool:
        """Wait until a worker has loaded the service. False if it ends, or takes too long."""
        deadline = time.monotonic() + READY_SECONDS
        while not ready.wait(POLL_SECONDS):
            if self.interrupt_signal or not worker.is_alive() or time.monotonic() > deadline:
                return False
        return True


def drop_new_connections(listener: socket.socket) -> bool:
    """Drop attempts to open new connections. Return False if the kernel cannot do that."""
    if sys.platform != "linux":
        return False
    filters = ctypes.create_string_buffer(_DROP_SYN, len(_DROP_SYN))
    program = struct.pack("HP", len(_DROP_SYN) // 8, ctypes.addressof(filters))
    try:
        listener.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, program)
    except OSError:  # in some sandboxes: exiting matters more
        return False
    return True


def _load_with_probes(load: Callable[..., WSGIApplication], leaving: Any) -> WSGIApplication:
    """Load the service, wrapped to answer probes with 503 before the server exits."""
    application = load()

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ["PATH_INFO"] in PROBES and leaving.value:
            start_response("503 Service Unavailable", [("Content-Type", "application/json")])
            return [b'{"status":"leaving"}']
        return application(environ, start_response)

    return answer


def _load_in_turns(load: Callable[..., WSGIApplication]) -> WSGIApplication:
    """Load the service, and wrap what granian calls for each request by code of the release.

    A worker that cannot have its turns does not start: the one that it replaces goes on.
    """
    application = load()
    try:
        from config.web_requests import in_turns
    except ModuleNotFoundError:  # an earlier release, which has none, is about to be started
        return application
    _serve_in_turns(in_turns)
    return application


def _serve_in_turns(in_turns: Callable[..., Any]) -> None:
    from django.conf import settings

    from config.visitors import is_visitor

    wrap = mp._wsgi_call_wrap  # type: ignore[attr-defined]  # where granian's worker finds it

    def wrapped(*args: Any) -> Any:
        threads, workers = settings.WEB_THREADS, settings.WEB_WORKERS
        return in_turns(wrap(*args), is_visitor, threads=threads, workers=workers)

    mp._wsgi_call_wrap = wrapped  # type: ignore[assignment, attr-defined]  # as above


def _load_and_tell(load: Callable[..., Any], ready: Event) -> Any:
    """Load the service in a new worker, and notify its parent."""
    application = load()
    ready.set()
    return application


def _end(worker: Any) -> None:
    """End a worker, after it has finished its accepted requests."""
    worker.terminate()
    worker.join(STOP_SECONDS)
    if worker.is_alive():
        worker.kill()


def options() -> dict[str, Any]:
    """Return granian's options from the environment. Loads code, so call it in another process."""
    from config.environment import HEAD_BYTES, env

    return {
        "http1_settings": HTTP1Settings(max_buffer_size=HEAD_BYTES),
        "address": env("HOST"),
        "port": env("PORT"),
        "workers": env("WEB_WORKERS"),
        "blocking_threads": env("WEB_THREADS"),
    }


def main() -> None:
    """Serve until SIGTERM."""
    with ProcessPoolExecutor(1) as reader:
        from_environment = reader.submit(options).result()
    PatientServer(
        "config.wsgi:application",
        interface=Interfaces.WSGI,
        http=HTTPModes.http1,
        websockets=False,
        respawn_failed_workers=True,
        workers_kill_timeout=STOP_SECONDS,
        **from_environment,
    ).serve()


if __name__ == "__main__":
    main()
