"""A look-up of a host name with a time limit: `getaddrinfo` has none of its own."""

import queue
import socket
import threading
from collections.abc import Callable

Resolve = Callable[[str, int], list[str]]

# A resolver that hangs holds its thread; beyond this many, look-ups fail at once.
MAX_CONCURRENT_LOOKUPS = 128
_free = threading.BoundedSemaphore(MAX_CONCURRENT_LOOKUPS)


class ResolutionFailed(Exception):
    """The name has no address, or none that could be found in time."""


def system_addresses(host: str, port: int) -> list[str]:
    """Ask the system for the addresses of a name, in the order in which it would use them."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def resolve_within(seconds: float, host: str, port: int, resolve: Resolve) -> list[str]:
    """Return the addresses of a name, looked up in a thread. Raises ResolutionFailed."""
    if not _free.acquire(blocking=False):
        raise ResolutionFailed
    answers: queue.SimpleQueue[list[str]] = queue.SimpleQueue()
    threading.Thread(target=_look_up, args=(resolve, host, port, answers), daemon=True).start()
    try:
        addresses = answers.get(timeout=max(0.0, seconds))
    except queue.Empty:
        raise ResolutionFailed from None
    if not addresses:
        raise ResolutionFailed
    return addresses


def _look_up(
    resolve: Resolve, host: str, port: int, answers: "queue.SimpleQueue[list[str]]"
) -> None:
    try:
        answers.put(resolve(host, port))
    except (OSError, UnicodeError):
        answers.put([])
    finally:
        _free.release()
