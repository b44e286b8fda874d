"""A goal of a run of faults holds only if the run has measured it."""

from collections import Counter
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bench.bursts import CONFIRMATIONS, POSTS, confirm_at_once, post_at_once
from bench.goals import Stretch, _availability
from bench.traders import Exchange
from bench.windows import Window

CALM = Window("before Redis killed", 0, 10, 0.5)
AWAY = Window("Redis killed", 20, 30, 0.5)
CRASH = Window("PostgreSQL crashed", 40, 50, 0.5)
ALL = (CALM, AWAY, CRASH)


def held(
    windows: tuple[Window, ...], *, away: int = 200, slower: float = 0.0, back: float = 1.0
) -> bool | None:
    """Return whether G7 holds for requests of 0.1 s, in calm and without Redis."""
    sent = [Exchange(5, 0.1, 200), Exchange(25, 0.1 + slower, away), Exchange(49, 1 + back, 201)]
    found = SimpleNamespace(
        rig=SimpleNamespace(redis=object(), windows=windows),
        transcript=SimpleNamespace(exchanges=sent),
    )
    [goal, _] = _availability(cast("Any", found), Stretch(0, 10))
    return goal.holds


@pytest.mark.parametrize(
    ("missed", "holds"),
    [({}, True), ({"away": 503}, False), ({"slower": 0.03}, False), ({"back": 2.5}, False)],
)
def test_the_goal_of_a_lost_redis_holds_if_all_of_it_does(
    missed: dict[str, Any], holds: bool
) -> None:
    assert held(ALL, **missed) is holds


@pytest.mark.parametrize("windows", [(AWAY, CRASH), (CALM, CRASH), (CALM, AWAY), ()])
def test_the_goal_of_a_lost_redis_does_not_hold_unmeasured(windows: tuple[Window, ...]) -> None:
    assert held(windows) is None


def test_what_is_missed_is_said_even_if_the_rest_is_not_measured() -> None:
    assert held((CALM, AWAY), slower=0.03) is False
    assert held((CRASH,), back=2.5) is False


@pytest.mark.parametrize(("status", "holds"), [(201, True), (500, False)])
def test_the_goal_of_a_race_says_what_was_answered(status: int, holds: bool) -> None:
    trader = SimpleNamespace(send_until_answered=lambda *_: (status, b"the same"))
    rig = SimpleNamespace(kill_web_worker=lambda: None, given=Counter())

    burst = post_at_once(cast("Any", trader), cast("Any", rig), 2)

    assert burst.statuses == {status: 2 * POSTS}
    assert burst.holds is holds


@pytest.mark.parametrize(("repeated", "holds"), [(422, True), (200, False), (0, False)])
def test_a_confirmation_without_answer_is_none_of_those_that_succeed(
    repeated: int, holds: bool
) -> None:
    first = iter([0, 200])
    trader = SimpleNamespace(
        post=lambda *_: {"id": "pay_1"},
        send=lambda *_: (next(first, 422), b""),
        send_until_answered=lambda *_: (repeated, b"") if repeated else None,
    )

    burst = confirm_at_once(cast("Any", trader), 1)

    assert burst.statuses == Counter({200: 1, 422: CONFIRMATIONS - 2}) + Counter([repeated])
    assert burst.holds is holds
