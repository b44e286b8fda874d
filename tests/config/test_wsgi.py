"""The service as a web server loads it, in a process of its own."""

import os
import subprocess
import sys

import pytest

from config.environment import VARIABLES
from tests.run_environment import VALUES
from tests.source_tree import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]

# A visitor's network pays for what a request takes: of loading, it may not.
LOADED_BY_REQUESTS = ("config.urls", "checkout.urls", "backoffice.urls")
QUESTION = f"import sys, config.wsgi; print(*set({LOADED_BY_REQUESTS}) - set(sys.modules))"


def test_it_has_loaded_every_page_before_the_first_request() -> None:
    ours = {*VARIABLES, "DEVELOPMENT_FILE", "DJANGO_SETTINGS_MODULE"}
    rest = {name: value for name, value in os.environ.items() if name not in ours}
    service = {
        "DEVELOPMENT_FILE": "",
        "DEVELOPMENT_MODE": "true",
        "DATABASE_URL": "sqlite://:memory:",
    }
    done = subprocess.run(
        [sys.executable, "-c", QUESTION],
        cwd=ROOT,
        env=rest | VALUES | service,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr
