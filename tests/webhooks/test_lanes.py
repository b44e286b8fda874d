"""Who is sent to next, as a pure matter of counting."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from webhooks.delivery.lanes import MAX_IN_FLIGHT, EndpointBacklog, Lane, allocate

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def free(*, quick: int = 0, new: int = 0, careful: int = 0) -> dict[Lane, int]:
    return {Lane.QUICK: quick, Lane.NEW: new, Lane.CAREFUL: careful}


ENOUGH = free(quick=40, new=12, careful=12)


def waiting(
    name: str,
    *,
    livemode: bool = True,
    since: int = 0,
    in_flight: int = 0,
    failures: int = 0,
    is_slow: bool = False,
    is_proven: bool = True,
) -> EndpointBacklog:
    due_at = NOON - timedelta(seconds=since)
    return EndpointBacklog(name, livemode, due_at, in_flight, failures, is_slow, is_proven)


def test_one_endpoint_gets_four_at_most() -> None:
    assert allocate([waiting("a")], ENOUGH) == {"a": 4}
    assert allocate([waiting("a", in_flight=3)], ENOUGH) == {"a": 1}
    assert allocate([waiting("a", in_flight=4)], ENOUGH) == {}


def test_an_endpoint_that_fails_or_has_never_answered_gets_one() -> None:
    endpoints = [waiting("failing", failures=1), waiting("new", is_proven=False)]

    assert allocate(endpoints, ENOUGH) == {"failing": 1, "new": 1}


def test_a_slow_endpoint_gets_two_of_the_careful_lane() -> None:
    assert allocate([waiting("slow", is_slow=True)], ENOUGH) == {"slow": 2}
    assert allocate([waiting("slow", is_slow=True)], free(quick=48)) == {}


def test_failing_endpoints_cannot_take_the_senders_of_the_others() -> None:
    dead = [waiting(f"dead {n}", failures=100, since=9_999) for n in range(1_000)]

    given = allocate([*dead, waiting("well")], free(quick=4, careful=16))

    assert given.pop("well") == 4
    assert sum(given.values()) == 16


def test_endpoints_that_have_not_answered_yet_cannot_take_them_either() -> None:
    new = [waiting(f"new {n}", is_proven=False, since=9_999) for n in range(1_000)]

    given = allocate([*new, waiting("well")], free(quick=4, new=12, careful=16))

    assert given.pop("well") == 4
    assert sum(given.values()) == 12


def test_who_has_nothing_under_way_goes_before_who_has_waited_long() -> None:
    busy = [waiting(f"busy {n}", since=9_999, in_flight=1) for n in range(10)]

    assert allocate([*busy, waiting("idle")], free(quick=1)) == {"idle": 1}


def test_who_failed_least_goes_first_in_the_careful_lane() -> None:
    endpoints = [
        waiting("long dead", failures=900, since=9_999),
        waiting("stumbled", failures=1),
    ]

    assert allocate(endpoints, free(careful=1)) == {"stumbled": 1}


def test_a_live_endpoint_goes_before_those_of_tests_however_idle_and_healthy() -> None:
    tests = [waiting(f"test {n}", livemode=False, since=9_999) for n in range(300)]

    assert allocate([*tests, waiting("sale", in_flight=3)], free(quick=1)) == {"sale": 1}


_endpoints = st.lists(
    st.builds(
        waiting,
        st.text(min_size=1, max_size=4),
        livemode=st.booleans(),
        since=st.integers(0, 10_000),
        in_flight=st.integers(0, 6),
        failures=st.sampled_from([0, 0, 0, 1, 50]),
        is_slow=st.booleans(),
        is_proven=st.booleans(),
    ),
    max_size=40,
    unique_by=lambda endpoint: endpoint.webhook_id,
)


@pytest.mark.slow
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # machines are busy
@given(_endpoints, *[st.integers(0, 16)] * 3)
def test_no_limit_is_ever_passed_and_no_sender_idles(
    endpoints: list[EndpointBacklog], quick: int, new: int, careful: int
) -> None:
    senders = free(quick=quick, new=new, careful=careful)

    given_out = allocate(endpoints, senders)

    by_id = {endpoint.webhook_id: endpoint for endpoint in endpoints}
    for lane in Lane:
        mine = {name: n for name, n in given_out.items() if by_id[name].lane is lane}
        room = sum(
            max(endpoint.max_in_flight - endpoint.in_flight, 0)
            for endpoint in endpoints
            if endpoint.lane is lane
        )
        assert sum(mine.values()) == min(senders[lane], room)
    for name, count in given_out.items():
        assert by_id[name].in_flight + count <= by_id[name].max_in_flight <= MAX_IN_FLIGHT
