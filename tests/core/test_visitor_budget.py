"""What networks owe: debts come back with time, and are bounded in height and number."""

import pytest
from pytest_django import Settings

from core import visitor_budget
from core.visitor_budget import BURST_SECONDS, MINUTE, VisitorBudget

NETWORK = "203.0.113.0/24"


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> list[float]:
    """A clock that the test sets, and a budget of a tenth of a second for each."""
    settings.VISITOR_SECONDS_PER_NETWORK = 6
    instant = [1_000.0]
    monkeypatch.setattr("core.visitor_budget.time.monotonic", lambda: instant[0])
    return instant


def test_the_budget_comes_back(at: list[float]) -> None:
    budget = VisitorBudget()
    budget.charge(NETWORK, BURST_SECONDS)
    assert budget.wait(NETWORK) == 0
    budget.charge(NETWORK, 0.25)

    assert budget.wait(NETWORK) == pytest.approx(2.5)
    at[0] += 2.5
    assert budget.wait(NETWORK) == pytest.approx(0)


def test_no_one_waits_longer_than_a_minute(at: list[float]) -> None:
    budget = VisitorBudget()
    budget.charge(NETWORK, 1_000)

    assert budget.wait(NETWORK) == pytest.approx(MINUTE)


def test_it_keeps_no_more_networks_than_it_has_room_for(
    at: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visitor_budget, "MOST_KEPT", 3)
    budget = VisitorBudget()
    for number in range(9):
        budget.charge(f"203.0.{number}.0/24", 1)

    assert len(budget._debts) == 3
    assert budget.wait("203.0.8.0/24") > 0
    assert budget.wait("203.0.1.0/24") == 0
