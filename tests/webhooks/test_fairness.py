"""Who is sent to next, as a pure matter of counting."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from webhooks.fairness import MOST_IN_FLIGHT, Lane, Waiting, share

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def waiting(
    name: str,
    *,
    since: int = 0,
    in_flight: int = 0,
    failures: int = 0,
    is_slow: bool = False,
    is_proven: bool = True,
) -> Waiting:
    due_at = NOON - timedelta(seconds=since)
    return Waiting(name, due_at, in_flight, failures, is_slow, is_proven)


def test_one_endpoint_gets_four_at_most() -> None:
    assert share([waiting("a")], {Lane.QUICK: 48, Lane.CAREFUL: 16}) == {"a": 4}
    assert share([waiting("a", in_flight=3)], {Lane.QUICK: 48, Lane.CAREFUL: 16}) == {"a": 1}
    assert share([waiting("a", in_flight=4)], {Lane.QUICK: 48, Lane.CAREFUL: 16}) == {}


def test_an_endpoint_that_fails_or_has_never_answered_gets_one() -> None:
    endpoints = [waiting("failing", failures=1), waiting("new", is_proven=False)]

    assert share(endpoints, {Lane.QUICK: 48, Lane.CAREFUL: 16}) == {"failing": 1, "new": 1}


def test_a_slow_endpoint_gets_two_of_the_careful_lane() -> None:
    assert share([waiting("slow", is_slow=True)], {Lane.QUICK: 48, Lane.CAREFUL: 16}) == {"slow": 2}
    assert share([waiting("slow", is_slow=True)], {Lane.QUICK: 48, Lane.CAREFUL: 0}) == {}


def test_failing_endpoints_cannot_take_the_senders_of_the_others() -> None:
    dead = [waiting(f"dead {n}", failures=100, since=9_999) for n in range(1_000)]

    given = share([*dead, waiting("well")], {Lane.QUICK: 4, Lane.CAREFUL: 16})

    assert given.pop("well") == 4
    assert sum(given.values()) == 16


def test_who_has_nothing_under_way_goes_before_who_has_waited_long() -> None:
    busy = [waiting(f"busy {n}", since=9_999, in_flight=1) for n in range(10)]

    assert share([*busy, waiting("idle")], {Lane.QUICK: 1, Lane.CAREFUL: 0}) == {"idle": 1}


def test_who_failed_least_goes_first_in_the_careful_lane() -> None:
    endpoints = [
        waiting("long dead", failures=900, since=9_999),
        waiting("stumbled", failures=1),
    ]

    assert share(endpoints, {Lane.QUICK: 0, Lane.CAREFUL: 1}) == {"stumbled": 1}


_endpoints = st.lists(
    st.builds(
        waiting,
        st.text(min_size=1, max_size=4),
        since=st.integers(0, 10_000),
        in_flight=st.integers(0, 6),
        failures=st.sampled_from([0, 0, 0, 1, 50]),
        is_slow=st.booleans(),
        is_proven=st.booleans(),
    ),
    max_size=40,
    unique_by=lambda endpoint: endpoint.webhook_id,
)


@given(_endpoints, st.integers(0, 48), st.integers(0, 16))
def test_no_limit_is_ever_passed_and_no_sender_idles(
    endpoints: list[Waiting], quick: int, careful: int
) -> None:
    free = {Lane.QUICK: quick, Lane.CAREFUL: careful}

    given_out = share(endpoints, free)

    by_id = {endpoint.webhook_id: endpoint for endpoint in endpoints}
    for lane in Lane:
        mine = {name: n for name, n in given_out.items() if by_id[name].lane is lane}
        room = sum(
            max(endpoint.most_in_flight - endpoint.in_flight, 0)
            for endpoint in endpoints
            if endpoint.lane is lane
        )
        assert sum(mine.values()) == min(free[lane], room)
    for name, count in given_out.items():
        assert by_id[name].in_flight + count <= by_id[name].most_in_flight <= MOST_IN_FLIGHT
