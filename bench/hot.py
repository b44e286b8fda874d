"""Measure whether paying one merchant is slower than the same load spread over fifty.

`python -m bench.hot [--seconds 10] [--rounds 3] [--clients 8]` has client processes create, confirm
and refund payments on a PostgreSQL of its own, with durable commits: alternately at one merchant
and at fifty, while a sealer runs. It prints requests per second, what the clients waited for in
the database, and whether the balance is exact; then how many transfers a second the sealer seals
when running alone.
"""

import argparse
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import IO, cast

from bench.admin import database
from bench.connecting import connect
from bench.copies import FIRST_NUMBER
from bench.endings import end_in_order
from bench.operations import NEW_PAYMENT
from bench.output import say
from bench.rows import WEALTH, Shape, open_shops
from bench.stage import PHONES, phone

SHARE, SEALED_PER_SECOND = 0.8, 1_000
UNSEALED = 20_000
SHOPS = 50
SEAL_SECONDS, LOOK_SECONDS = 2, 0.05
DURABLE = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}


def main() -> None:
    end_in_order()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--client-of", default="", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.client_of:
        serve(chosen.client_of)
        return
    with database(**DURABLE):
        open_shops()
        with clients(chosen.clients) as running, sealing():
            rates = rounds(running, chosen.rounds, chosen.seconds)
        for shape, values in rates.items():
            say(f"{shape}: {statistics.median(values):.1f} requests/s of {values}")
        share = statistics.median(rates[Shape.ONE]) / statistics.median(rates[Shape.SPREAD])
        say(f"one merchant: {share:.2f} of spread, goal >= {SHARE}, {verdict(share >= SHARE)}")
        say(f"balance exact: {verdict(balance_is_exact())}")
        rate = sealed_per_second()
        say(
            f"sealing: {rate:,.0f}/s, goal >= {SEALED_PER_SECOND:,}, "
            f"{verdict(rate >= SEALED_PER_SECOND)}"
        )


def verdict(holds: bool) -> str:
    return "holds" if holds else "does not hold"


def rounds(running: "list[Client]", number: int, seconds: float) -> dict[Shape, list[float]]:
    """Measure both shapes alternately, after a warm-up that does not count."""
    rates: dict[Shape, list[float]] = {shape: [] for shape in Shape}
    for turn in range(number + 1):
        for shape in Shape:
            with looking() as waits:
                for client in running:
                    client.order(f"{shape} {seconds if turn else 2}")
                done = sum(client.answer() for client in running)
            if turn:
                rates[shape].append(round(done / seconds, 1))
                say(f"{shape}, waited for: {dict(waits.most_common(3))}")
    return rates


class Client:
    """A client process that sends requests for a while whenever told to."""

    def __init__(self, url: str, number: int) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "bench.hot", "--client-of", f"{number} {url}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.answer()

    def order(self, order: str) -> None:
        """Order a shape of load and its length in seconds: "one 10"."""
        pipe = cast("IO[str]", self.process.stdin)
        pipe.write(f"{order}\n")
        pipe.flush()

    def answer(self) -> int:
        """Return how many requests the last order took; 0 for the first line, once it is ready."""
        return int(cast("IO[str]", self.process.stdout).readline())


@contextmanager
def clients(number: int) -> Iterator[list[Client]]:
    """Start the client processes, and end them afterwards."""
    import os

    running: list[Client] = []
    try:
        running.extend(Client(os.environ["DATABASE_URL"], each) for each in range(number))
        yield running
    finally:
        for client in running:
            client.process.terminate()
            client.process.wait()


def serve(place: str) -> None:
    """Run one client: for each order, send requests and report their number."""
    number, _, url = place.partition(" ")
    connect(url, LOG_LEVEL="ERROR")
    from merchants.models import Merchant
    from tests.client import Api

    shops = list(Merchant.objects.filter(slug__startswith="bench-").order_by("slug")[:SHOPS])
    api, turns = Api(), count(int(number))
    say("0")
    for line in sys.stdin:
        shape, seconds = line.split()
        until, done = time.monotonic() + float(seconds), 0
        while time.monotonic() < until:
            turn = next(turns) * 31
            shop = shops[0] if shape == Shape.ONE else shops[turn % SHOPS]
            client = api(shop)
            made = client.post("/v1/payments", NEW_PAYMENT).json()
            at = f"/v1/payments/{made['id']}"
            paid = client.post(f"{at}/confirm", {"customer_phone": phone(turn % PHONES)})
            assert paid.status_code == 200, paid.content
            back = client.post(f"{at}/refund", {"amount": 100})
            assert back.json()["status"] == "succeeded", back.content
            done += 3
        say(str(done))


@contextmanager
def sealing() -> Iterator[None]:
    """Seal transfers and fold counts in the background, as the schedule does."""
    from core.tasks import fold_counts
    from ledger.tasks import seal_transfers

    with repeating(SEAL_SECONDS, lambda: (seal_transfers(), fold_counts())):
        yield


@contextmanager
def looking() -> Iterator[Counter[str]]:
    """Sample periodically which statements wait for a lock, and count them."""
    from django.db import connection

    waits: Counter[str] = Counter()

    def look() -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT left(query, 60) FROM pg_stat_activity"
                " WHERE wait_event_type = 'Lock' AND backend_type = 'client backend'"
            )
            waits.update(query for (query,) in cursor.fetchall())

    with repeating(LOOK_SECONDS, look):
        yield waits


@contextmanager
def repeating(seconds: float, act: Callable[[], object]) -> Iterator[None]:
    """Repeat an action at intervals in a thread of its own."""
    from django.db import connection

    over = threading.Event()

    def repeat() -> None:
        while not over.wait(seconds):
            act()
        connection.close()

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def balance_is_exact() -> bool:
    """Return whether the hot merchant's balance equals the sum of its transfers."""
    from django.db.models import Q, Sum

    from ledger.models import Account, Purpose, Transfer
    from ledger.services import balance_of
    from merchants.models import Merchant

    shop = Merchant.objects.get(slug=f"bench-{FIRST_NUMBER}")
    account = Account.objects.get(owner=shop.pk, purpose=Purpose.MERCHANT)
    sums = Transfer.objects.aggregate(
        paid=Sum("amount", filter=Q(credit_account=account)),
        repaid=Sum("amount", filter=Q(debit_account=account)),
    )
    expected: int = WEALTH + sums["paid"] - sums["repaid"]
    return balance_of(account) == expected


def sealed_per_second() -> float:
    """Return the sealing rate for a backlog of transfers, without other load."""
    from django.db import connection

    from ledger.models import Transfer, TransferKind
    from ledger.tasks import seal_transfers

    seal_transfers()
    transfer = Transfer.objects.filter(kind=TransferKind.PAYMENT).latest("id")
    with connection.cursor() as cursor:
        cursor.execute(_COPIES, [UNSEALED, transfer.pk, transfer.pk])
        cursor.execute("ANALYZE")
    began = time.monotonic()
    seal_transfers()
    return UNSEALED / (time.monotonic() - began)


_COPIES = """
    WITH made AS (
        INSERT INTO ledger_transfer (transaction_id, kind, reference, debit_account_id,
            credit_account_id, amount, currency, livemode, description, created_at)
        SELECT transaction_id, kind, 'pay_copy_' || number, debit_account_id, credit_account_id,
            amount, currency, livemode, description, created_at
        FROM ledger_transfer, generate_series(1, %s) AS number WHERE id = %s
        RETURNING id, debit_account_id, credit_account_id, amount
    )
    INSERT INTO ledger_unsealedtransfer (transfer_id, debit_account_id, credit_account_id, amount)
    SELECT made.id, debit_account_id, credit_account_id, amount FROM made WHERE %s > 0
"""

if __name__ == "__main__":
    main()
