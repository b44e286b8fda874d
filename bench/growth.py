"""Measure whether anything slows down as rows are added: PostgreSQL's own time, on a warm cache.

`python -m bench.growth [--sizes 10000,1000000]` fills a PostgreSQL of its own up to each size, once
spread over 1,000 merchants and one with 1,000 payments, once with nine in ten of them one
merchant's, and measures that one after each. A customer always has ten. An operation that takes
more than 1.5 times as long as at the first size does not hold.
The time is the sum of `pg_stat_statements`, planning included: the least of as many runs as it
takes until it falls no further, since others may be using the machine. The number of blocks that a
run looks at does not depend on them: where it stays the same, a longer time is their doing.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from bench.admin import database
from bench.copies import FIRST_NUMBER
from bench.endings import end_in_order
from bench.output import say
from bench.rows import (
    MERCHANTS,
    OF_CUSTOMER,
    Shape,
    add_customers,
    fill,
    large_owner,
    open_shops,
    spread_owner,
)
from bench.visit import Visit

MOST = 1.5
# Below this is noise: from 0.1 ms to 0.2 ms is no growth.
LEAST_MS = 0.5
# So many runs in turn that are no faster end a measurement.
TIMES, MOST_TIMES = 7, 25
# A cache as on a server of this size, and fewer checkpoints while filling.
OPTIONS = {
    "shared_buffers": "2GB",
    "maintenance_work_mem": "512MB",
    "max_wal_size": "8GB",
    "shared_preload_libraries": "pg_stat_statements",
    "pg_stat_statements.track_planning": "on",
    # Otherwise the later runs of a statement are not planned, at one size sooner than at another.
    "plan_cache_mode": "force_custom_plan",
}


@dataclass(frozen=True, order=True)
class Measured:
    """What an operation costs PostgreSQL: ms, and blocks looked at in its cache or on disk."""

    ms: float
    blocks: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--sizes", default="10000,1000000", help="payments, in thousands; commas between"
    )
    parser.add_argument("--shape", choices=[shape.value for shape in Shape], default="")
    chosen = parser.parse_args()
    end_in_order()
    if not chosen.shape:
        # Django knows one database in a process.
        for shape in Shape:
            command = [sys.executable, "-m", "bench.growth", "--sizes", chosen.sizes]
            child = subprocess.Popen([*command, "--shape", shape.value])
            try:
                if child.wait():
                    sys.exit(child.returncode)
            finally:
                child.terminate()
                child.wait()
        return
    sizes = sorted(int(size) for size in chosen.sizes.split(","))
    compare(Shape(chosen.shape), sizes)


def compare(shape: Shape, sizes: list[int]) -> None:
    """Fill up to each size in turn, and print the costs of each operation at each size."""
    found: dict[str, list[Measured]] = {}
    with database(**OPTIONS):
        count_statements()
        shops, customers = MERCHANTS + len(sizes), sizes[0] // OF_CUSTOMER
        payment_id, filled = open_shops(merchants=shops, customers=customers), 0
        for turn, size in enumerate(sizes):
            began, count = time.monotonic(), size - filled
            # The one measured comes with these: its payments lie as far apart as they are many.
            merchant = 0 if shape is Shape.ONE else MERCHANTS + turn
            owner = large_owner("i") if shape is Shape.ONE else spread_owner(merchant, count)
            if filled:
                come_along(payment_id, filled, count)
            fill(payment_id, owner, first=FIRST_NUMBER + filled, count=count)
            filled = size
            say(f"{shape}: {size:,} payments after {time.monotonic() - began:.0f} s")
            for name, act, before in Visit(size, merchant).acts():
                found.setdefault(name, []).append(least(act, before))
    tell_all(shape, sizes, found)


def tell_all(shape: Shape, sizes: list[int], found: dict[str, list[Measured]]) -> None:
    """Print each operation's time and blocks at each size, and whether it holds."""
    row = "{:34}" + " {:>12}" * len(sizes) + " {:>8} {:>8} {:>6}" + " {:>12}" * len(sizes)
    names = [f"{size:,}" for size in sizes]
    say(row.format(f"ms, {shape}", *names, "goal", "grown", "holds", *("blocks" for _ in sizes)))
    for name, costs in found.items():
        grown = max(costs[-1].ms, LEAST_MS) / max(costs[0].ms, LEAST_MS)
        judged = f"<= {MOST}", f"{grown:.1f}", "yes" if grown <= MOST else "no"
        times, blocks = [f"{it.ms:,.2f}" for it in costs], [f"{it.blocks:,}" for it in costs]
        say(row.format(name, *times, *judged, *blocks))


def come_along(payment_id: str, filled: int, count: int) -> None:
    """Add the customers of the payments that follow."""
    from customers.models import Customer
    from payments.models import Payment

    customer = Customer.objects.get(pk=Payment.objects.get(pk=payment_id).customer_id)
    known = filled // OF_CUSTOMER
    add_customers(customer, first=FIRST_NUMBER + known, count=count // OF_CUSTOMER)


def count_statements() -> None:
    """Have PostgreSQL track the time of its statements."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("CREATE EXTENSION pg_stat_statements")


def least(act: Callable[[], object], before: Callable[[], object] | None) -> Measured:
    """Return the least cost of several runs, without the first, which warms the cache."""
    cost_of(act, before)
    best, since = cost_of(act, before), 0
    for _ in range(MOST_TIMES):
        cost = cost_of(act, before)
        best, since = (cost, 0) if cost < best else (best, since + 1)
        if since == TIMES:
            break
    return best


def cost_of(act: Callable[[], object], before: Callable[[], object] | None) -> Measured:
    """Return what one run costs."""
    from django.db import connection

    if before:
        before()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_statements_reset()")
    act()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sum(total_exec_time + total_plan_time),"
            " sum(shared_blks_hit + shared_blks_read) FROM pg_stat_statements"
            " WHERE query NOT LIKE '%pg_stat_statements%'"
        )
        ms, blocks = cursor.fetchone()
    return Measured(float(ms), int(blocks))


if __name__ == "__main__":
    main()
