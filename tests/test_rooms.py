"""Each setting of `pyproject.toml` that lists the rooms lists all of them"""

import tomllib

import pytest

from tests.source_tree import ROOMS, ROOT

TOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]


@pytest.mark.sqlite
@pytest.mark.parametrize(
    "listed",
    [TOOLS["coverage"]["run"]["source_pkgs"], TOOLS["importlinter"]["root_packages"]],
    ids=["coverage", "imports"],
)
def test_every_room_is_listed(listed: list[str]) -> None:
    assert set(listed) == set(ROOMS)
