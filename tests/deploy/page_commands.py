"""The commands of a page of `docs/`, as its reader would type them."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.postgres import as_user, programs
from tests.source_tree import ROOT


def commands(page: str, heading: str) -> list[str]:
    """Return the blocks of commands below a heading of a page."""
    section = (ROOT / "docs" / page).read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    blocks = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    assert blocks
    return blocks


def follow(block: str, environment: Mapping[str, str]) -> str:
    """Do what a block says, as `postgres` or where the service is; return what came out."""
    ours = block.startswith((".venv/bin/python", "deploy"))
    block = block.replace(".venv/bin/python", sys.executable)
    path = f"{programs()}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block],
        env={**environment, "PATH": path},
        cwd=ROOT if ours else "/",
        capture_output=True,
        text=True,
        check=False,
        **({} if ours else as_user()),
    )
    assert done.returncode == 0, f"{block}\n{done.stdout}{done.stderr}"
    return done.stdout
