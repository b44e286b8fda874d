"""config/local/packages.py: the installation of packages, which says how far it is."""

import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.source_tree import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]
PROGRAM = ROOT / "config/local/packages.py"
NOTHING_LISTENS = "http://127.0.0.1:9/simple"


def install(requirements: Path, target: Path, **environment: str) -> tuple[int, str]:
    """Run it against the given place only; return its exit code and what it printed."""
    names = {name: text for name, text in os.environ.items() if not name.startswith("PIP_")}
    pip = {"PIP_CONFIG_FILE": os.devnull, "PIP_RETRIES": "1", "PIP_TARGET": str(target)}
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(requirements)],
        env=names | pip | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def wheel(directory: Path) -> str:
    """Write a package of nothing; return its pin."""
    info = "sandcastle-1.0.dist-info"
    path = directory / "sandcastle-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: sandcastle\nVersion: 1.0\n")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        file.writestr(f"{info}/RECORD", "")
    return f"sandcastle==1.0 --hash=sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}\n"


def test_it_says_how_far_it_is(tmp_path: Path) -> None:
    pins = tmp_path / "pins.txt"
    pins.write_text(wheel(tmp_path))

    code, said = install(pins, tmp_path / "in", PIP_NO_INDEX="1", PIP_FIND_LINKS=str(tmp_path))

    assert (code, said.splitlines()[0]) == (0, "Fetching packages: 0 of 1 …")
    assert said.splitlines()[-1].startswith("Packages are here, after ")
    assert (tmp_path / "in/sandcastle-1.0.dist-info").is_dir()


def test_it_says_that_there_is_no_network(tmp_path: Path) -> None:
    pins = tmp_path / "pins.txt"
    pins.write_text(wheel(tmp_path))

    code, said = install(pins, tmp_path / "in", PIP_INDEX_URL=NOTHING_LISTENS)

    assert code == 1
    assert "\nNo network: the packages cannot be fetched" in said


def test_another_failure_is_told_in_pips_words(tmp_path: Path) -> None:
    pins = tmp_path / "pins.txt"
    pins.write_text(wheel(tmp_path).replace("sha256:", "sha256:0")[:-2] + "\n")

    code, said = install(pins, tmp_path / "in", PIP_NO_INDEX="1", PIP_FIND_LINKS=str(tmp_path))

    assert code == 1
    assert "No network" not in said
    assert "HASHES" in said.upper()
