"""What the dispatcher does around an attempt, call by call, without threads or a database."""

from types import SimpleNamespace
from typing import Any

import pytest
from django.db import OperationalError

from outbound.results import HttpResult
from webhooks.delivery import dispatcher
from webhooks.delivery.dispatcher import THREADS, Dispatcher, _attempt_and_keep_recording
from webhooks.delivery.lanes import Lane
from webhooks.delivery.leases import Claim, ClaimBatch

Done = list[Any]


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> Done:
    """What is done, in its order."""
    found: Done = []

    def write(record: Any) -> None:
        found.append("together")
        record()

    monkeypatch.setattr(dispatcher, "close_old_connections", lambda: found.append("close"))
    monkeypatch.setattr(dispatcher, "time", SimpleNamespace(sleep=found.append))
    monkeypatch.setattr(dispatcher, "_write_batch", SimpleNamespace(write=write))
    monkeypatch.setattr(dispatcher, "attempt", lambda _: HttpResult(ms=5, status=200))
    return found


def claim_of(webhook_id: str, lane: Lane = Lane.QUICK) -> Claim:
    delivery: Any = SimpleNamespace(id="dlv_1", webhook_id=webhook_id)
    return Claim(delivery, "token", None, lane)  # type: ignore[arg-type]  # at no instant


@pytest.mark.parametrize("failures", [0, 1, 2])
def test_it_is_recorded_with_others_first_and_then_alone_after_a_pause(
    done: Done, monkeypatch: pytest.MonkeyPatch, failures: int
) -> None:
    left = iter([True] * failures)

    def record(*_: object) -> None:
        if next(left, False):
            raise OperationalError
        done.append("recorded")

    monkeypatch.setattr(dispatcher, "record_result", record)

    _attempt_and_keep_recording(claim_of("wh_1"))

    assert done == ["together", *["close", 0.1, "close", 0.5][: 2 * failures], "recorded"]


def test_what_is_never_recorded_is_given_up_after_six_times(
    done: Done, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OperationalError

    monkeypatch.setattr(dispatcher, "record_result", fail)

    _attempt_and_keep_recording(claim_of("wh_1"))

    pauses = [each for each in done if isinstance(each, float | int)]
    assert pauses == [0.1, 0.5, 1, 2, 4, 8]


def test_a_thread_begins_and_ends_without_a_connection_that_is_dead(
    done: Done, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Dispatcher()
    monkeypatch.setattr(
        dispatcher, "_attempt_and_keep_recording", lambda claim: done.append("attempt")
    )
    monkeypatch.setattr(made, "_claim_more", lambda claim: done.append(dict(made._free)))

    made._run(claim_of("wh_1", Lane.NEW))

    assert done == ["close", "attempt", THREADS | {Lane.NEW: THREADS[Lane.NEW] + 1}, "close"]


@pytest.mark.parametrize(
    ("webhook_id", "lane", "claims"),
    [
        ("wh_left", Lane.QUICK, True),
        ("wh_left", Lane.NEW, True),
        ("wh_other", Lane.NEW, True),
        ("wh_other", Lane.QUICK, False),
    ],
)
def test_more_is_claimed_where_an_endpoint_or_a_lane_had_more(
    done: Done, monkeypatch: pytest.MonkeyPatch, webhook_id: str, lane: Lane, claims: bool
) -> None:
    made = Dispatcher()
    made._last = ClaimBatch([], frozenset({"wh_left"}), frozenset({Lane.NEW}))
    monkeypatch.setattr(made, "wake", lambda: done.append("wake"))

    made._claim_more(claim_of(webhook_id, lane))

    assert done == ["wake"] * claims
