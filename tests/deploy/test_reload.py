"""The web server of production is reloaded under load, and loses no request."""

import pytest

from bench.restarts import run

pytestmark = [pytest.mark.faults, pytest.mark.sqlite]


def test_a_reload_and_a_migration_lose_no_request() -> None:
    load = run("one", restarts=2, rate=20)

    assert load.outcomes.total() > 20
    assert load.failed == 0, load.outcomes
