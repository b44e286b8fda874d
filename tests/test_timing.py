"""What the everyday run chooses of the quick tests."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.seconds import keep_seconds, known_seconds
from tests.timing import drawn, fitting


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.seconds.KEPT", tmp_path / "var" / "seconds.json")


@dataclass(frozen=True)
class TimedTest:
    """As much of a test as choosing it takes."""

    nodeid: str


def items(*names: str) -> list[Any]:
    return [TimedTest(name) for name in names]


def test_each_test_runs_with_some_of_its_cases() -> None:
    cases = items("a[1]", "a[2]", "a[3]", "b")

    assert [item.nodeid[0] for item in drawn(cases, 2, seed=1)] == ["a", "a", "b"]


def test_short_tests_run_and_of_the_long_ones_what_fits() -> None:
    keep_seconds({"short": 0.05, "long": 2.0, "longer": 3.0, "longest": 30.0})

    chosen = fitting(items("longest", "long", "short", "longer"), 5.5, seed=1)

    assert [item.nodeid for item in chosen] == ["long", "short", "longer"]


def test_of_the_long_ones_others_run_each_time() -> None:
    names = [f"test {number}" for number in range(20)]
    keep_seconds(dict.fromkeys(names, 1.0))

    chosen = {fitting(items(*names), 1.5, seed=seed)[0].nodeid for seed in range(20)}

    assert len(chosen) > 5


def test_one_that_was_never_timed_runs() -> None:
    keep_seconds({"known": 9.0})

    assert [item.nodeid for item in fitting(items("known", "new"), 5, seed=1)] == ["new"]


def test_of_several_runs_the_least_is_kept() -> None:
    keep_seconds({"test": 3.0, "other": 1.0})
    keep_seconds({"test": 0.5})
    keep_seconds({"test": 4.0})

    assert known_seconds() == {"test": 0.5, "other": 1.0}
