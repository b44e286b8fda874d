"""A Celery worker polls for due deliveries, whatever the state of the broker."""

import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from celery import current_app
from celery.signals import worker_init, worker_process_init

from webhooks.delivery import dispatcher, polling
from webhooks.delivery.wakeup import QUEUE


class Polls(list[tuple[float, bool]]):
    """A list that is compared once every poller that was started has had its turn."""

    def __eq__(self, other: object) -> bool:
        for thread in threading.enumerate():
            if thread.name == polling.THREAD_NAME:
                thread.join(5)
        return list(self) == other


# Each second, in a thread that keeps no process alive.
POLLING = (1.0, True)


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> Polls:
    """Return how often each poller that was started looks, and whether it is a daemon."""
    found = Polls()

    def poll(*, every_seconds: float) -> None:
        found.append((every_seconds, threading.current_thread().daemon))

    monkeypatch.setattr(polling, "dispatch_forever", poll)
    monkeypatch.setattr(polling, "_started", threading.Event())
    take(monkeypatch, QUEUE)
    return found


def take(monkeypatch: pytest.MonkeyPatch, *queues: str) -> None:
    amqp = SimpleNamespace(queues=SimpleNamespace(consume_from=dict.fromkeys(queues)))
    app: Any = current_app
    monkeypatch.setitem(vars(app._get_current_object()), "amqp", amqp)


def worker(pool: str) -> Any:
    return SimpleNamespace(pool_cls=f"celery.concurrency.{pool}:TaskPool")


def test_a_worker_with_threads_polls_from_its_first_moment(begun: Polls) -> None:
    polling.poll_in_worker(sender=worker("thread"))

    assert begun == [POLLING]


def test_a_worker_with_processes_leaves_it_to_them(begun: Polls) -> None:
    polling.poll_in_worker(sender=worker("prefork"))
    assert begun == []

    polling.poll_in_process()
    assert begun == [POLLING]


def test_one_process_polls_once(begun: Polls) -> None:
    polling.poll_in_worker(sender=worker("solo"))
    polling.poll_in_process()

    assert begun == [POLLING]


def test_a_worker_of_other_queues_does_not_poll(
    begun: Polls, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(monkeypatch, "default")

    polling.poll_in_worker(sender=worker("thread"))

    assert begun == []


def test_celery_tells_us() -> None:
    for signal, receiver in (
        (worker_init, polling.poll_in_worker),
        (worker_process_init, polling.poll_in_process),
    ):
        assert receiver in [reference() for _, reference in signal.receivers]


def test_each_turn_is_noted_and_one_that_fails_is_not_the_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Enough(BaseException):
        """Ends the endless."""

    done: list[Any] = []
    ends: Iterator[BaseException | None] = iter([None, RuntimeError(), Enough()])

    def send() -> None:
        done.append("send")
        if error := next(ends):
            raise error

    def note(task: str, *, succeeded: bool) -> None:
        done.append((task, succeeded))

    monkeypatch.setattr(dispatcher, "close_old_connections", lambda: done.append("close"))
    monkeypatch.setattr(dispatcher, "send_due_deliveries", send)
    monkeypatch.setattr(dispatcher, "recorder", SimpleNamespace(note=note, write=done.append))
    monkeypatch.setattr(dispatcher, "time", SimpleNamespace(sleep=done.append))

    with pytest.raises(Enough):
        dispatcher.dispatch_forever(every_seconds=1.5)

    rest = ["dispatcher", "close", 1.5]
    succeeded, failed = ("send webhooks", True), ("send webhooks", False)
    assert done == [
        *("close", "send", succeeded, *rest), *("close", "send", failed, *rest), "close", "send",
    ]  # fmt: skip
