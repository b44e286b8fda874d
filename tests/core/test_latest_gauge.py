"""Of the values of an instance's processes, the one set last is reported, whatever the clock was"""

import os
import subprocess
import sys
from pathlib import Path

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from tests.source_tree import ROOT

PROCESS = """
import sys, time
own_time, hours = time.time, float(sys.argv[1])
time.time = lambda: own_time() + 3600 * hours
from core.latest_gauge import LatestGauge
LatestGauge("waiting", "How many wait.", ["channel"]).labels("sms").set(float(sys.argv[2]))
"""


def test_a_process_whose_clock_was_ahead_does_not_have_the_last_word(tmp_path: Path) -> None:
    shared = os.environ | {"PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}
    for hours_ahead, value in ((2, 7), (0, 3)):
        words = [sys.executable, "-c", PROCESS, str(hours_ahead), str(value)]
        subprocess.run(words, env=shared, cwd=ROOT, check=True)
    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=str(tmp_path))

    assert 'waiting{channel="sms"} 3.0' in generate_latest(registry).decode().splitlines()
