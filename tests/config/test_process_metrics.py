"""What each web process measures of itself, whichever of them Prometheus asks."""

import os
import subprocess
import sys

import pytest

from config.environment import VARIABLES
from tests.run_environment import VALUES
from tests.source_tree import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]

# A web process with a pool whose threads wait, at first while the clocks cannot be compared. It
# ends once it has noted both figures, and given back what it took from the pool.
UNASKED = """
import time
from threading import current_thread
from types import SimpleNamespace
import django
django.setup()
from django.db import connections
from config import process_metrics as own

def compare_clocks():
    compared.append("compared")
    if len(compared) == 1:
        raise OSError("away")

def give_back(connection):
    if current_thread().name == "note own metrics":
        given_back.append("given back")

def wait_for(waiting):
    stats["requests_waiting"] = waiting
    while own.pool_waiting._value.get() != waiting or min(map(len, (compared, given_back))) < 3:
        time.sleep(0.01)
    print(waiting)

stats, compared = {"pool_size": 1, "pool_available": 0, "requests_waiting": 0}, []
given_back = []
type(connections["default"]).pool = SimpleNamespace(get_stats=lambda: stats)
own.NOTED_EVERY_SECONDS = 0.01
type(connections["default"]).close = give_back
own.collect_clocks = compare_clocks
import config.wsgi
wait_for(59)
wait_for(0)
"""


def test_a_web_process_notes_its_own_pool_and_clock_unasked() -> None:
    """Else the figure of a bad moment would stay, and wake someone, until that one is scraped."""
    ours = {*VARIABLES, "DEVELOPMENT_FILE", "DJANGO_SETTINGS_MODULE"}
    rest = {name: value for name, value in os.environ.items() if name not in ours}
    service = {
        "DEVELOPMENT_FILE": "",
        "DEVELOPMENT_MODE": "true",
        "DATABASE_URL": "sqlite://:memory:",
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    asked = subprocess.run(
        [sys.executable, "-c", UNASKED],
        cwd=ROOT,
        env=rest | VALUES | service,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert asked.returncode == 0, asked.stderr
    assert asked.stdout.split() == ["59", "0"]
