"""Few threads at once serve a caller, and anyone's callers leave slots to the others."""

from contextlib import ExitStack
from threading import BoundedSemaphore

import pytest

from core.concurrency import CallerConcurrencyLimit, ConcurrencyLimit, ConcurrencyLimitReached


def is_free(limit: CallerConcurrencyLimit, *callers: str, is_self_service: bool = False) -> bool:
    """Return whether these callers would be served now."""
    try:
        with limit.hold(*callers, is_self_service=is_self_service):
            return True
    except ConcurrencyLimitReached:
        return False


def test_few_are_served_for_one_caller_and_few_in_all() -> None:
    limit = CallerConcurrencyLimit(3, per_caller=2)
    with ExitStack() as held:
        for _ in range(2):
            held.enter_context(limit.hold("one"))
        assert (is_free(limit, "one"), is_free(limit, "other")) == (False, True)
        held.enter_context(limit.hold("other"))
        assert not is_free(limit, "another")

    assert is_free(limit, "one")


def test_a_request_of_several_callers_counts_for_each() -> None:
    limit = CallerConcurrencyLimit(3, per_caller=1)
    with limit.hold("merchant", "network"):
        assert not is_free(limit, "merchant", "elsewhere")
        assert not is_free(limit, "stranger", "network")
        assert is_free(limit, "stranger", "elsewhere")


def test_a_slot_is_given_back_however_the_block_ends() -> None:
    limit = CallerConcurrencyLimit(1, per_caller=1)
    with pytest.raises(ValueError, match="whatever"), limit.hold("one"):
        raise ValueError("whatever")

    assert is_free(limit, "one")


@pytest.mark.parametrize(("most", "free"), [(0, 0), (1, 1), (2, 1), (3, 1), (4, 2), (8, 4)])
def test_those_whose_key_anyone_gets_leave_half_to_the_others(most: int, free: int) -> None:
    limit = CallerConcurrencyLimit(most, per_caller=1)
    for _ in range(2):  # what was given back is free again
        taken = [0, 0]
        with ExitStack() as held:
            for number in range(9):
                if is_free(limit, f"mer_{number}", is_self_service=True):
                    held.enter_context(limit.hold(f"mer_{number}", is_self_service=True))
                    taken[0] += 1
            for number in range(9, 18):
                if is_free(limit, f"mer_{number}"):
                    held.enter_context(limit.hold(f"mer_{number}"))
                    taken[1] += 1
        assert (taken[0], sum(taken)) == (free, most)


def test_a_slot_is_waited_for_only_as_long_as_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []

    def acquire(self: BoundedSemaphore, blocking: bool = True, timeout: float = -1) -> bool:
        waited.append(timeout)
        return False

    monkeypatch.setattr(BoundedSemaphore, "acquire", acquire)
    limit = ConcurrencyLimit(1)
    with pytest.raises(ConcurrencyLimitReached), limit.hold():
        pass
    with pytest.raises(ConcurrencyLimitReached), limit.hold(wait_seconds=2.5):
        pass

    assert waited == [0, 2.5]
