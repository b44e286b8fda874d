"""A Celery worker polls for due deliveries, whatever the state of the broker."""

import threading
from types import SimpleNamespace
from typing import Any

import pytest
from celery import current_app
from celery.signals import worker_init, worker_process_init

from webhooks.delivery import dispatcher, polling
from webhooks.delivery.wakeup import QUEUE


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return how often, in seconds, each poller that was started looks."""
    found = Polls()
    monkeypatch.setattr(
        polling, "dispatch_forever", lambda *, every_seconds: found.append(every_seconds)
    )
    monkeypatch.setattr(polling, "_started", threading.Event())
    take(monkeypatch, QUEUE)
    return found


class Polls(list[float]):
    """A list that is compared once every poller that was started has had its turn."""

    def __eq__(self, other: object) -> bool:
        for thread in threading.enumerate():
            if thread.name == polling.THREAD_NAME:
                thread.join(5)
        return list(self) == other


def take(monkeypatch: pytest.MonkeyPatch, *queues: str) -> None:
    amqp = SimpleNamespace(queues=SimpleNamespace(consume_from=dict.fromkeys(queues)))
    app: Any = current_app
    monkeypatch.setitem(vars(app._get_current_object()), "amqp", amqp)


def worker(pool: str) -> Any:
    return SimpleNamespace(pool_cls=f"celery.concurrency.{pool}:TaskPool")


def test_a_worker_with_threads_polls_from_its_first_moment(begun: list[float]) -> None:
    polling.poll_in_worker(sender=worker("thread"))

    assert begun == [polling.POLL_SECONDS]


def test_a_worker_with_processes_leaves_it_to_them(begun: list[float]) -> None:
    polling.poll_in_worker(sender=worker("prefork"))
    assert begun == []

    polling.poll_in_process()
    assert begun == [polling.POLL_SECONDS]


def test_one_process_polls_once(begun: list[float]) -> None:
    polling.poll_in_worker(sender=worker("solo"))
    polling.poll_in_process()

    assert begun == [polling.POLL_SECONDS]


def test_a_worker_of_other_queues_does_not_poll(
    begun: list[float], monkeypatch: pytest.MonkeyPatch
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


def test_a_turn_that_fails_is_not_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    class Enough(BaseException):
        """Ends the endless."""

    turns: list[int] = []

    def fail() -> int:
        turns.append(1)
        if len(turns) == 3:
            raise Enough
        raise RuntimeError

    monkeypatch.setattr(dispatcher, "send_due_deliveries", fail)
    monkeypatch.setattr("core.task_runs.recorder.write", lambda _: None)  # needs no database

    with pytest.raises(Enough):
        dispatcher.dispatch_forever(every_seconds=0)

    assert len(turns) == 3
