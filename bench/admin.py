"""Measure how quickly the back office responds if one merchant has a million payments.

`python -m bench.admin [--payments 1111111]` fills a PostgreSQL of its own, nine in ten payments
being one merchant's, opens each list, filter, page and search several times as staff would, and
exports a day while others work. It prints goals, medians and whether they hold, and exits 1 if one
does not. If stopped, it first shuts down its database and the worker.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from bench.connecting import connect, disconnect
from bench.endings import end_in_order
from bench.output import say
from bench.staff_exports import rows_of_export
from bench.staff_pages import OF_LARGE, PAYMENTS, staff_pages
from bench.staff_rows import DAYS, build

LIMIT_MS = 300
TIMES = 7
EXPORTED = 10_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--payments", type=int, default=1_111_111)
    count = parser.parse_args().payments
    end_in_order()
    with database():
        started = time.monotonic()
        build(count)
        say(f"{count:,} payments built in {time.monotonic() - started:.0f} s")
        slow = measure(count)
    if slow:
        say(f"Does not hold: {', '.join(slow)}")
        sys.exit(1)


@contextmanager
def database(**options: str) -> Iterator[None]:
    """Start a temporary cluster, point Django at it, and remove it at the end.

    `options` are PostgreSQL settings, in addition to those of the tests.
    """
    from tests.postgres import Postgres

    with tempfile.TemporaryDirectory(prefix="payments-bench-") as directory:
        Path(directory).chmod(0o711)
        server = Postgres(Path(directory) / "postgresql")
        server.options |= options
        server.create()
        server.start()
        try:
            _set_up(server.url)
            try:
                yield
            finally:
                disconnect()
        finally:
            server.remove()


def _set_up(url: str) -> None:
    connect(url)
    from django.conf import settings
    from django.core.management import call_command

    settings.DATABASES["default"]["OPTIONS"]["options"] = "-c statement_timeout=0"
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.ALLOWED_HOSTS = ["*"]
    call_command("migrate", verbosity=0)


def measure(count: int) -> list[str]:
    """Open every page several times, print the results, and return the names that do not hold."""
    from django.core.cache import cache
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from backoffice.figures import count_finished_days
    from backoffice.roles import Role
    from core.clock import utc_now
    from tests.backoffice.conftest import sign_in

    count_finished_days(now=utc_now())
    browser, slow = sign_in(Role.ADMINISTRATOR), []
    browser.get("/admin/merchants/merchant/")  # loads the templates, as in a running service
    row = "{:44} {:>8} {:>8} {:>9} {:>8} {:>11} {:>6}"
    say(row.format("page", "goal", "median", "worst", "SQL", "statements", "holds"))
    for name, path in staff_pages().items():
        times, sql = [], []
        for _ in range(TIMES):
            cache.clear()
            started = time.perf_counter()
            with CaptureQueriesContext(connection) as statements:
                response = browser.get(path)
            times.append((time.perf_counter() - started) * 1_000)
            sql.append(sum(float(each["time"]) for each in statements.captured_queries) * 1_000)
            if response.status_code not in (200, 302):
                raise RuntimeError(f"{path} answered {response.status_code}")
        median = statistics.median(times)
        took = (f"{LIMIT_MS} ms", f"{median:.0f} ms", f"{max(times):.0f} ms", f"{min(sql):.0f} ms")
        holds = median <= LIMIT_MS
        say(row.format(name, *took, len(statements), "yes" if holds else "no"))
        slow += [] if holds else [name]
    export = f"{PAYMENTS}export/xlsx/?{OF_LARGE}&{_days_of_export(count)}"
    for name, goal, measured, holds in rows_of_export(
        browser, export, f"{PAYMENTS}?{OF_LARGE}", LIMIT_MS
    ):
        say(row.format(name, goal, measured, "", "", "", "yes" if holds else "no"))
        slow += [] if holds else [name]
    return slow


def _days_of_export(count: int) -> str:
    """Return the filter by day that selects about 10,000 payments of the large merchant."""
    from core.clock import utc_now

    days = min(DAYS, -(-EXPORTED * DAYS // (count * 9 // 10)))
    last = utc_now().date() - timedelta(days=1)
    return f"day_from={last - timedelta(days=days - 1)}&day_to={last}"


if __name__ == "__main__":
    main()
