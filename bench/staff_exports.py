"""Measure a day's export by a worker, and the response time of a page meanwhile.

`bench.admin` runs this on the database that it has filled; the worker is a process of its own, as
in production, and ends with it.
"""

import os
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.test import Client

EXPORT_GOAL_SECONDS = 10
PAUSE_SECONDS = 0.1


def make_export() -> None:
    """Make the requested exports, as a worker does, from the database of DATABASE_URL."""
    import django

    django.setup()
    from backoffice.tasks import make_exports

    started = time.perf_counter()
    make_exports()
    sys.stdout.write(f"{time.perf_counter() - started}\n")


def time_export(browser: "Client", path: str, page: str) -> tuple[int, float, list[float]]:
    """Request an export; return its row count, its seconds, and the ms of a page meanwhile."""
    from backoffice.models import ExportRun

    response = browser.get(path)
    if response.status_code != 302:
        raise RuntimeError(f"{path} answered {response.status_code}: it was short enough")
    worker = subprocess.Popen(
        [sys.executable, "-m", "bench.staff_exports"],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    try:
        times = []
        while worker.poll() is None:
            started = time.perf_counter()
            browser.get(page)
            times.append((time.perf_counter() - started) * 1_000)
            time.sleep(PAUSE_SECONDS)
        seconds = float(worker.communicate()[0])
    finally:
        worker.kill()
        worker.wait()
    return ExportRun.objects.latest("created_at").row_count, seconds, times


def rows_of_export(
    browser: "Client", path: str, page: str, limit_ms: int
) -> list[tuple[str, str, str, bool]]:
    """Return the measurements as table rows: name, goal, measured value, whether it holds."""
    count, seconds, times = time_export(browser, path, page)
    median = statistics.median(times)
    took = f"{seconds:.1f} s"
    return [
        (f"export of {count:,}", f"{EXPORT_GOAL_SECONDS} s", took, seconds <= EXPORT_GOAL_SECONDS),
        ("payments, meanwhile", f"{limit_ms} ms", f"{median:.0f} ms", median <= limit_ms),
    ]


if __name__ == "__main__":
    make_export()
