"""Whether anything slows down as rows are added: statements' own time, on a warm cache.

`python -m bench.growth [--sizes 10000,1000000]` fills a PostgreSQL of its own up to each size, once
with the payments of 1,000 merchants, once with nine in ten of them one merchant's, and measures
after each. What takes more than 1.5 times as long as at the first size does not hold.
"""

import argparse
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from bench.admin import database
from bench.copies import FIRST_NUMBER
from bench.operations import NEW_PAYMENT
from bench.rows import Shape, fill, open_shops

if TYPE_CHECKING:
    from webhooks.delivery.leases import Claim

MOST = 1.5
# Less than this is noise: a statement that has grown from 0.1 ms to 0.2 has not grown.
LEAST_MS = 0.5
TIMES = 7
# A cache as large as a server of this size has one, and no checkpoint on every gigabyte.
MEMORY = {"shared_buffers": "1GB", "maintenance_work_mem": "256MB", "max_wal_size": "8GB"}
BATCH = 10


@dataclass
class Watch:
    """Adds up how long statements take, in milliseconds, while it is used as a context."""

    milliseconds: float = 0.0

    def __call__(self, execute: Any, *details: Any) -> Any:
        began = time.perf_counter()
        try:
            return execute(*details)
        finally:
            self.milliseconds += 1_000 * (time.perf_counter() - began)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--sizes", default="10000,1000000", help="payments; commas between")
    words.add_argument("--shape", choices=[shape.value for shape in Shape], default="")
    chosen = words.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # not without ending the server
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
    """Fill up to each size in turn and print what each operation took there."""
    found: dict[str, list[float]] = {}
    with database(**MEMORY):
        payment_id, filled = open_shops(), 0
        for size in sizes:
            began = time.monotonic()
            first = FIRST_NUMBER + filled
            fill(payment_id, shape, first=first, count=size - filled)
            filled = size
            tell(f"{shape}: {size:,} payments after {time.monotonic() - began:.0f} s")
            for name, milliseconds in Visit(size).figures():
                found.setdefault(name, []).append(milliseconds)
    row = "{:32}" + " {:>12}" * len(sizes) + " {:>8} {:>8} {:>6}"
    tell(row.format(f"ms, {shape}", *(f"{size:,}" for size in sizes), "goal", "grown", "holds"))
    for name, values in found.items():
        grown = max(values[-1], LEAST_MS) / max(values[0], LEAST_MS)
        holds = "yes" if grown <= MOST else "no"
        tell(
            row.format(
                name, *(f"{one:,.2f}" for one in values), f"<= {MOST}", f"{grown:.1f}", holds
            )
        )


class Visit:
    """What a merchant, the schedule and staff ask for, at one size."""

    def __init__(self, size: int) -> None:
        from backoffice.roles import Role
        from merchants.models import Merchant
        from payments.models import Payment
        from tests.backoffice.conftest import sign_in
        from tests.client import Api

        self.merchant = Merchant.objects.get(slug=f"bench-{FIRST_NUMBER}")
        self.client = Api()(self.merchant)
        self.staff = sign_in(Role.ADMINISTRATOR, f"staff-{size}")
        own = Payment.objects.filter(merchant=self.merchant).order_by("created_at")
        self.payment = own[own.count() // 2]
        self.claimed: list[Claim] = []

    def figures(self) -> Iterator[tuple[str, float]]:
        """Yield what the statements of each operation take, in milliseconds."""
        from ledger.tasks import seal_transfers

        seal_transfers()
        yield "create", self.least(self.create)
        for name, path in self.paths().items():
            yield name, self.least(partial(self.read, path))
        yield f"expiry sweep of {BATCH}", self.least(self.expire, before=self.let_pass)
        yield "claim of due deliveries", self.least(self.claim, before=self.let_wait)
        self.release()
        yield f"sealing of {BATCH}", self.least(self.seal, before=self.pay)
        for name, path in self.pages().items():
            yield name, self.least(partial(self.open, path))

    def least(self, act: Callable[[], object], *, before: Callable[[], object] = bool) -> float:
        """Return the shortest of a few times, without the first, which warms the cache."""
        from django.db import connection

        times = []
        for _ in range(TIMES + 1):
            before()
            watch = Watch()
            with connection.execute_wrapper(watch):
                act()
            times.append(watch.milliseconds)
        return min(times[1:])

    def paths(self) -> dict[str, str]:
        from payments.statuses import PaymentStatus

        page = "/v1/payments?limit=20"
        statuses = {f"status={status}": f"{page}&status={status}" for status in PaymentStatus}
        return {
            "read": f"/v1/payments/{self.payment.pk}",
            "first page and total": page,
            **statuses,
            "payment mode it has none of": f"{page}&payment_mode=INVOICE_PAY",
            "reference it has none of": f"{page}&reference=none",
            "starting after the middle": f"{page}&starting_after={self.payment.pk}",
            "balance": "/v1/balance",
            "events": "/v1/events?limit=20",
        }

    def pages(self) -> dict[str, str]:
        payments, search = "/admin/payments/payment/?mode=both", "/admin/search/?q="
        of_merchant = f"{payments}&merchant={self.merchant.pk}"
        return {
            "staff: payments": payments,
            "staff: a merchant's": of_merchant,
            "staff: a mode it has none of": f"{of_merchant}&payment_mode=INVOICE_PAY",
            "staff: a status it has none of": f"{of_merchant}&status=processing",
            "staff: search for an id": f"{search}{self.payment.pk}",
            "staff: search for nothing": f"{search}no+such+thing",
        }

    def create(self) -> str:
        response = self.client.post("/v1/payments", NEW_PAYMENT)
        assert response.status_code == 201, response.content
        return str(response.json()["id"])

    def read(self, path: str) -> None:
        assert self.client.get(path).status_code == 200, path

    def open(self, path: str) -> None:
        from django.core.cache import cache

        cache.clear()
        assert self.staff.get(path).status_code in (200, 302), path

    def let_pass(self) -> None:
        """Make payments whose time has passed."""
        from core.clock import utc_now
        from payments.models import Payment

        ids = [self.create() for _ in range(BATCH)]
        Payment.objects.filter(pk__in=ids).update(expires_at=utc_now())

    def expire(self) -> None:
        from core.clock import utc_now
        from payments.expiry import expire_due

        assert expire_due(now=utc_now()) == BATCH

    def let_wait(self) -> None:
        """Make a delivery wait, and keep every dispatcher away from it."""
        self.release()
        self.create()

    def release(self) -> None:
        from webhooks.delivery.leases import release

        for claim in self.claimed:
            release(claim)

    def claim(self) -> None:
        from core.clock import utc_now
        from webhooks.delivery.lanes import Lane
        from webhooks.delivery.leases import claim_due_deliveries

        self.claimed = claim_due_deliveries(free=dict.fromkeys(Lane, 16), now=utc_now()).taken
        assert self.claimed

    def pay(self) -> None:
        for _ in range(BATCH):
            response = self.client.post(f"/v1/payments/{self.create()}/confirm", {})
            assert response.status_code == 200, response.content

    def seal(self) -> None:
        from core.clock import utc_now
        from ledger.sealing import seal_transfers

        assert seal_transfers(now=utc_now()) == BATCH


def tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
