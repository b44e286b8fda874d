"""What a worker does with a request: visitors take turns, and refusals are held."""

import threading
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest

from config import web_requests
from config.web_requests import HeldAnswers, in_turns

PATIENCE_SECONDS = 30
VISITOR, MERCHANT = {"caller": "visitor"}, {"caller": "merchant"}


class Protocol:
    """What granian gives with a request: it is complete once it is answered."""

    def __init__(self) -> None:
        self.answered = threading.Event()
        self.statuses: list[int] = []

    def response_bytes(self, status: int, headers: object, body: bytes) -> None:
        self.statuses.append(status)
        self.answered.set()

    def response_iter(self, status: int, headers: object, body: object) -> None:
        self.response_bytes(status, headers, b"")


class PatientService:
    """A service whose requests wait to be let go on, each in the thread that serves it."""

    def __init__(self, threads: int) -> None:
        self.lock = threading.Lock()
        self.at_work = self.most = 0
        self.may_end = threading.Event()
        self.serve = in_turns(self._answer, lambda scope: scope is VISITOR, threads=threads)

    def _answer(self, protocol: Any, scope: Any) -> None:
        with self.lock:
            self.at_work += 1
            self.most = max(self.most, self.at_work)
        assert self.may_end.wait(PATIENCE_SECONDS)
        with self.lock:
            self.at_work -= 1
        protocol.response_bytes(200, [], b"")


def requests_of(service: PatientService, scope: object, count: int) -> tuple[list[Any], list[Any]]:
    protocols = [Protocol() for _ in range(count)]
    threads = [
        threading.Thread(target=service.serve, args=(each, scope), daemon=True)
        for each in protocols
    ]
    for thread in threads:
        thread.start()
    return protocols, threads


def wait_for(condition: Callable[[], bool]) -> None:
    for _ in range(1_000):
        if condition():
            return
        threading.Event().wait(PATIENCE_SECONDS / 1_000)
    raise AssertionError(condition)


@pytest.mark.parametrize(("threads", "most"), [(8, 4), (3, 1), (1, 1)])
def test_visitors_have_half_of_the_threads_and_wait_without_one(threads: int, most: int) -> None:
    service = PatientService(threads)
    visits, at_work = requests_of(service, VISITOR, 9)

    wait_for(lambda: sum(each.is_alive() for each in at_work) == most)
    assert service.at_work == most
    calls, _ = requests_of(service, MERCHANT, 2)
    wait_for(lambda: service.at_work == most + 2)
    service.may_end.set()
    for each in (*visits, *calls):
        assert each.answered.wait(PATIENCE_SECONDS)

    assert service.most == most + 2
    assert {tuple(each.statuses) for each in (*visits, *calls)} == {(200,)}


@pytest.mark.parametrize(("sent", "read"), [(65_536, 65_536), (65_537, 0), (0, 0)])
def test_a_form_that_waits_is_read_before_granian_takes_its_body_away(sent: int, read: int) -> None:
    """It came to the view empty, and everyone who waited was told that the page was too old."""
    begun, may_end, lengths = threading.Event(), threading.Event(), list[int]()

    def answer(protocol: Any, scope: Any) -> None:
        begun.set()
        assert may_end.wait(PATIENCE_SECONDS)
        lengths.append(len(scope["wsgi.input"].read(sent)))
        protocol.response_bytes(200, [], b"")

    serve = in_turns(answer, lambda _: True, threads=2)
    first = {"wsgi.input": BytesIO()}
    threading.Thread(target=serve, args=(Protocol(), first), daemon=True).start()
    assert begun.wait(PATIENCE_SECONDS)
    body, waiting = BytesIO(b"x" * sent), Protocol()

    serve(waiting, {"wsgi.input": body, "CONTENT_LENGTH": str(sent)})
    body.seek(0)
    body.truncate()  # as granian does when its call returns
    may_end.set()

    assert waiting.answered.wait(PATIENCE_SECONDS)
    assert lengths == [0, read]


def test_a_visit_that_fails_ends_its_turn() -> None:
    """It is answered, and the next one served; granian would answer only what it has called."""
    begun, may_fail = threading.Event(), threading.Event()

    def fail(protocol: Any, scope: Any) -> None:
        begun.set()
        may_fail.wait(PATIENCE_SECONDS)
        raise SystemExit

    serve = in_turns(fail, lambda _: True, threads=2)
    first, second = Protocol(), Protocol()
    thread = threading.Thread(target=serve, args=(first, VISITOR), daemon=True)
    thread.start()
    assert begun.wait(PATIENCE_SECONDS)
    serve(second, VISITOR)
    may_fail.set()
    thread.join(PATIENCE_SECONDS)
    third = Protocol()
    serve(third, VISITOR)

    assert [each.statuses for each in (first, second, third)] == [[500]] * 3


@pytest.mark.parametrize("scope", [VISITOR, MERCHANT])
@pytest.mark.parametrize("status", [200, 401, 429, 503])
def test_only_a_refusal_is_held(
    scope: object, status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[Callable[[], None]] = []
    monkeypatch.setattr(HeldAnswers, "hold", lambda _, send: held.append(send))
    protocol = Protocol()
    serve = in_turns(
        lambda answering, _: answering.response_bytes(status, [], b""),
        lambda scope: scope is VISITOR,
        threads=2,
    )

    serve(protocol, scope)

    assert (protocol.statuses, len(held)) == (([], 1) if status == 429 else ([status], 0))
    for send in held:
        send()
    assert protocol.statuses == [status]


def test_a_streamed_answer_is_sent_as_it_is() -> None:
    protocol = Protocol()
    serve = in_turns(
        lambda answering, _: answering.response_iter(429, [], iter(())), lambda _: True, threads=2
    )

    serve(protocol, VISITOR)

    assert protocol.statuses == [429]


def test_refusals_are_sent_in_order_by_one_thread_and_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slept: list[float] = []
    monkeypatch.setattr(web_requests, "monotonic", lambda: 100.0)
    monkeypatch.setattr(web_requests, "sleep", slept.append)
    held, sent = HeldAnswers(256), list[tuple[int, threading.Thread]]()
    ended = threading.Event()

    for number in range(3):
        held.hold(lambda number=number: sent.append((number, threading.current_thread())))  # type: ignore[misc]
    held.hold(ended.set)
    assert ended.wait(PATIENCE_SECONDS)
    wait_for(lambda: len(slept) == 8)

    assert [number for number, _ in sent] == [0, 1, 2]
    assert len({thread for _, thread in sent} | {threading.current_thread()}) == 2
    assert slept == [0.25, 0.004] * 4


def test_a_refusal_that_cannot_be_sent_holds_up_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_requests, "HELD_SECONDS", 0.0)
    held, sent = HeldAnswers(256), threading.Event()

    def fail() -> None:
        raise SystemExit

    held.hold(fail)
    held.hold(sent.set)

    assert sent.wait(PATIENCE_SECONDS)


def test_with_too_many_held_a_refusal_is_sent_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asleep = threading.Event()
    monkeypatch.setattr(web_requests, "sleep", lambda _: asleep.wait(PATIENCE_SECONDS))
    held, sent = HeldAnswers(2), list[int]()

    held.hold(lambda: sent.append(0))
    wait_for(lambda: held._waiting.empty())  # it is with the thread that sends it
    for number in (1, 2, 3):
        held.hold(lambda number=number: sent.append(number))  # type: ignore[misc]

    assert sent == [3]
    asleep.set()
    wait_for(lambda: sent == [3, 0, 1, 2])


def test_the_workers_hold_half_of_what_they_accept_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    most: list[int] = []
    monkeypatch.setattr(web_requests, "HeldAnswers", most.append)

    for workers in (1, 2, 8):
        in_turns(lambda *_: None, lambda _: True, threads=8, workers=workers)

    assert most == [512, 256, 64]
