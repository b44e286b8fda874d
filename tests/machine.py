"""What a machine may lack: then the test is skipped with a line that says so; in CI it fails."""

import os
import shutil

import pytest


def need(program: str, name: str) -> None:
    """Skip the test where the program is not installed."""
    if shutil.which(program):
        return
    reason = f"{name} is not installed; `make system` installs it on Debian."
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
