"""A run of faults breaks a service that answers, however long it takes to start."""

import random
from collections import Counter
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bench import faults
from bench.goals import Stretch


class NotedRig:
    """A rig that notes what is done to it."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.given: Counter[str] = Counter()
        self.chance = random.Random(1)

    @property
    def changes(self) -> int:
        return self.given.total()

    def faults(self) -> dict[str, None]:
        return dict.fromkeys(("web killed", "worker killed"))

    def give(self, name: str) -> None:
        self.done.append("broken")
        self.given[name] += 1

    def wait_until_answering(self) -> None:
        self.done.append("answering")


def test_each_round_begins_when_the_service_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "PAUSE_SECONDS", (0, 0))
    monkeypatch.setattr(faults, "_trade", lambda traders, seconds: Stretch(0, 0))
    monkeypatch.setattr(faults, "_progress", lambda rig, transcript: "")
    over = SimpleNamespace(set=lambda: None)
    trader = SimpleNamespace(
        transcript=SimpleNamespace(ends=float("inf")), over=over, join=lambda: None
    )
    rig = NotedRig()

    faults._break(cast("Any", rig), [cast("Any", trader)], 0, 0, 4, "")

    assert rig.done == ["answering", "broken", "broken"] * 2
