"""What an attempt comes to: whom it tries for how long, and what its result says."""

import socket
import ssl
import threading
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

from outbound import http_client
from outbound.connections import ConnectionFailed, Connector
from outbound.deadline import Deadline
from outbound.policy import Policy
from outbound.resolver import ResolutionFailed, resolve_within, system_addresses
from outbound.results import HttpResult

OUTSIDE = ["1.1.1.1", "8.8.8.8", "9.9.9.9", "1.0.0.1", "8.8.4.4"]
NOT_ALLOWED = "The host name leads to an address that is not allowed."


@pytest.mark.parametrize(
    ("status", "fault"),
    [
        (199, "Answered 199."),
        (200, ""),
        (299, ""),
        (300, "Answered 300: redirects are not followed."),
        (399, "Answered 399: redirects are not followed."),
        (400, "Answered 400."),
    ],
)
def test_a_status_is_a_success_or_says_why_not(status: int, fault: str) -> None:
    assert http_client._fault_of_status(status) == fault
    assert HttpResult(ms=1, status=status).is_success is (not fault)
    assert not HttpResult(ms=1, status=status, error="late").is_success
    assert not HttpResult(ms=1).is_success


def caused(error: Exception, by: Exception) -> Exception:
    error.__cause__ = by
    return error


def refused(words: str, code: int) -> ssl.SSLCertVerificationError:
    """The refusal of a certificate, with the words and the code that OpenSSL gives it."""
    error = ssl.SSLCertVerificationError()
    error.verify_message, error.verify_code = words, code
    return error


EXPIRED = refused("expired " + "x" * 300, 10)
ALONE = refused("unable to verify the first certificate", 21)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ConnectionFailed("The connection was refused."), "The connection was refused."),
        (caused(OSError(), EXPIRED), f"TLS: expired {'x' * 187}"),
        (
            caused(OSError(), ALONE),
            "TLS: unable to verify the first certificate"
            " (the server may not send its intermediate certificates).",
        ),
        (OSError(ssl.SSLError()), "TLS: no secure connection could be made."),
        (caused(OSError(), TimeoutError()), "No complete answer within 2.5 seconds."),
        (OSError(), "The connection broke off before the answer was complete."),
    ],
)
def test_a_failure_is_told_without_what_is_inside(error: Exception, reason: str) -> None:
    assert http_client._reason(error, 2.5) == reason


def test_a_long_chain_of_causes_is_followed_to_an_end() -> None:
    first = error = OSError()
    for _ in range(100):
        error.__context__ = OSError()
        error = error.__context__
    error.__context__ = TimeoutError()

    assert http_client._cause(first, TimeoutError) is None


class Network:
    """Connections that end as told; how long each was tried, and what was done with it."""

    def __init__(self, **ends: type[OSError]) -> None:
        self.ends, self.tried = ends, list[tuple[str, float]]()
        self.done = list[tuple[object, ...]]()

    def connect(self, place: tuple[str, int], seconds: float) -> Any:
        self.tried.append((place[0], round(seconds, 1)))
        if error := self.ends.get(place[0], self.ends.get("all")):
            raise error
        peer = self.ends.get("peer", place[0])
        names = ("close", "dup", "settimeout", "setsockopt")
        noted = {name: partial(self.note, name) for name in names}
        return SimpleNamespace(getpeername=lambda: (peer, 443), **noted)

    def note(self, name: str, *given: float) -> None:
        self.done.append((name, *(round(each) for each in given)))


def connector(found: list[str], *, seconds: float = 6, left: float = 60) -> Connector:
    policy = Policy(livemode=True, loopback=False)
    return Connector(policy, Deadline(left), seconds, lambda host, port: found)


@pytest.mark.parametrize(
    ("found", "left", "tried"),
    [
        (OUTSIDE[:1], 60, [6]),
        (OUTSIDE[:3], 60, [2, 3, 6]),
        (OUTSIDE, 60, [1.5, 2, 3, 6]),
        (OUTSIDE[:2], 2.4, [2.4, 2.4]),
    ],
)
def test_each_address_gets_its_share_of_the_time(
    monkeypatch: pytest.MonkeyPatch, found: list[str], left: float, tried: list[float]
) -> None:
    network = Network(all=TimeoutError)
    monkeypatch.setattr(socket, "create_connection", network.connect)
    monkeypatch.setattr("outbound.deadline.time", SimpleNamespace(monotonic=lambda: 0.0))

    with pytest.raises(ConnectionFailed, match=r"No connection within 6 seconds\."):
        connector(found, left=left)("host", 443)

    assert network.tried == list(zip(found, tried, strict=False))


def test_the_next_address_is_tried_and_one_that_refuses_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    network = Network(**{OUTSIDE[0]: ConnectionRefusedError})
    monkeypatch.setattr(socket, "create_connection", network.connect)
    made = connector(OUTSIDE[:2])("[host]", 443)
    assert made.getpeername()[0] == OUTSIDE[1]

    network.ends["all"] = TimeoutError
    with pytest.raises(ConnectionFailed, match=r"The connection was refused\."):
        connector(OUTSIDE[:2])("host", 443)


@pytest.mark.parametrize(
    ("found", "peer"), [(["10.0.0.1"], ""), ([*OUTSIDE, "::1"], ""), (OUTSIDE, "10.0.0.1")]
)
def test_no_address_inside_is_connected_to(
    monkeypatch: pytest.MonkeyPatch, found: list[str], peer: str
) -> None:
    network = Network()
    if peer:
        network.ends["peer"] = peer  # type: ignore[assignment]  # whom it has led to
    monkeypatch.setattr(socket, "create_connection", network.connect)

    with pytest.raises(ConnectionFailed, match=NOT_ALLOWED):
        connector(found)("host", 443)

    assert len(network.tried) == bool(peer)
    assert network.done == [("close",)] * bool(peer)


def test_an_answer_has_all_the_time_that_is_left_and_ends_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    network = Network()
    monkeypatch.setattr(socket, "create_connection", network.connect)

    connector(OUTSIDE[:1], seconds=6, left=60)("host", 443)

    at_once = ("setsockopt", socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    assert network.done == [("settimeout", 60), at_once, ("dup",)]


def test_a_name_has_each_address_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(0, 0, 0, "", (address, 443)) for address in (OUTSIDE[0], OUTSIDE[1], OUTSIDE[0])]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: rows)

    assert system_addresses("host", 443) == OUTSIDE[:2]


def test_a_look_up_that_fails_gives_its_place_back() -> None:
    def fail(host: str, port: int) -> list[str]:
        raise OSError

    for _ in range(200):
        with pytest.raises(ResolutionFailed):
            resolve_within(5, "host", 443, fail)
    assert resolve_within(5, "host", 443, lambda host, port: OUTSIDE) == OUTSIDE


def test_no_more_names_are_looked_up_at_once_than_there_are_threads_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    free, asked = threading.BoundedSemaphore(1), list[str]()
    monkeypatch.setattr("outbound.resolver._free", free)

    def look_up(host: str, port: int) -> list[str]:
        asked.append(host)
        return OUTSIDE

    with free, pytest.raises(ResolutionFailed):
        resolve_within(5, "host", 443, look_up)
    assert asked == []

    assert resolve_within(5, "host", 443, look_up) == OUTSIDE


def test_a_deadline_ends_a_read_and_says_that_it_did() -> None:
    ours, peer = socket.socketpair()
    with ours, peer, Deadline(0.01) as deadline:
        deadline.watch(ours)

        assert ours.recv(1) == b""
        assert deadline.expired is True


def test_what_is_watched_after_the_deadline_ends_at_once() -> None:
    ours, peer = socket.socketpair()
    with ours, peer, Deadline(0) as deadline:
        deadline._timer.join()

        deadline.watch(ours)

        assert ours.recv(1) == b""


def test_a_deadline_in_time_leaves_nothing_behind() -> None:
    ours, peer = socket.socketpair()
    with ours, peer:
        with Deadline(60) as deadline:
            deadline.watch(ours)
            [kept] = deadline._watched
        deadline._timer.join(5)

    assert (kept.fileno(), deadline.expired) == (-1, False)
    assert (deadline._timer.is_alive(), deadline._timer.daemon) == (False, True)


def test_a_look_up_that_hangs_is_given_up() -> None:
    over = threading.Event()

    with pytest.raises(ResolutionFailed):
        resolve_within(0.01, "host", 443, lambda *_: [str(over.wait(20))])

    over.set()


def test_a_look_up_that_hangs_keeps_no_process_alive() -> None:
    found = resolve_within(6, "host", 443, lambda *_: [str(threading.current_thread().daemon)])

    assert found == ["True"]
