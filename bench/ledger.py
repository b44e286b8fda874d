"""Measure the time and memory of `manage.py verify_ledger` with many payments.

`python -m bench.ledger [--payments 200000] [--embedded]` writes sales, each with a fee, and refunds
of every twentieth, all signed, sealed and logged; pays out every merchant; and runs the command in
a process of its own. Then it times the proof of another thousand top-ups. Uses a PostgreSQL or
(embedded) an SQLite of its own.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.connecting import connect, disconnect
from bench.endings import end_in_order
from bench.output import say
from bench.top_ups import add_top_ups

CUSTOMERS, MERCHANTS, FIRST = 1_000, 50, 1_000
PRICE, FEE, WALLET = 1_000, 25, 100_000_000
REFUND_EVERY = 20


def main() -> None:
    end_in_order()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--payments", type=int, default=200_000)
    parser.add_argument("--embedded", action="store_true", help="SQLite instead of PostgreSQL")
    chosen = parser.parse_args()
    with database(embedded=chosen.embedded):
        timed("built", lambda: build(chosen.payments))
        timed("paid out", pay_out)
        prove()
        timed("what a thousand top-ups have added was proven", add_top_ups(seal))


@contextmanager
def database(*, embedded: bool, **environment: str) -> Iterator[None]:
    """Create a temporary database, point Django at it, and remove it at the end.

    It is a copy of the migrated one that the tests keep, if there is one: to migrate takes long.
    """
    from tests import template
    from tests.postgres import Postgres

    with tempfile.TemporaryDirectory(prefix="payments-bench-") as directory:
        Path(directory).chmod(0o711)
        if embedded:
            template.use(Path(directory) / "db.sqlite3")
            set_up(f"sqlite:///{directory}/db.sqlite3", **environment)
            yield
            return
        server = Postgres(Path(directory) / "postgresql", durable=True)
        migrated = template.kept("postgresql")
        server.create_like(migrated) if migrated.exists() else server.create()
        server.start()
        try:
            set_up(server.url, **environment)
            yield
            disconnect()
        finally:
            server.remove()


def set_up(url: str, **environment: str) -> None:
    connect(url, **environment)
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    wait_for_ever()


def wait_for_ever() -> None:
    """Disable the service's timeouts on this connection: loading may be slow on a busy machine."""
    from django.db import connection

    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET statement_timeout = 0")
            cursor.execute("SET idle_in_transaction_session_timeout = 0")


def build(count: int) -> None:
    """Make one sale, and copy it `count` times with other ids and owners."""
    from django.db import connection

    from bench.sales import SalesTemplate, sell_many
    from payments.models import Payment

    sale = Payment.objects.get(pk=sell())
    seal()
    shops = [f"mer_{FIRST + number}" for number in range(MERCHANTS)]
    payers = [f"cus_{FIRST + number}" for number in range(CUSTOMERS)]
    sell_many(SalesTemplate(sale, shops=shops, payers=payers), count, refund_every=REFUND_EVERY)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def sell() -> str:
    """Open all accounts, fill the wallets, and make the sale that serves as the template."""
    from django.db import transaction

    from core.clock import utc_now
    from customers.models import Customer
    from customers.services import top_up
    from ledger.models import Purpose
    from ledger.services import account_for
    from tests.factories import MerchantFactory, PaymentFactory
    from tests.payments.journeys import pay_with

    at = utc_now()
    with transaction.atomic():
        shops = [
            MerchantFactory.create(id=f"mer_{FIRST + number}", fee_basis_points=250)
            for number in range(MERCHANTS)
        ]
        for shop in shops:
            for purpose in (Purpose.MERCHANT, Purpose.FEES):
                account_for(owner=shop.id, purpose=purpose, currency="BSD", livemode=True)
        for number in range(CUSTOMERS):
            payer = Customer.objects.create(
                id=f"cus_{FIRST + number}", phone=f"+1242425{number:04}", livemode=True,
                created_at=at, updated_at=at,
            )  # fmt: skip
            top_up(customer=payer, amount=WALLET, currency="BSD", now=at)
        payment = PaymentFactory.create(merchant=shops[0], livemode=True, amount=PRICE)
        pay_with(payment.pk, payer)
    return str(payment.pk)


def seal() -> None:
    from ledger.tasks import seal_transfers

    seal_transfers()


def pay_out() -> None:
    from core.clock import utc_now
    from merchants.models import Merchant
    from payouts.bank_accounts import open_bank_account
    from payouts.models import PayoutOrigin
    from payouts.services import schedule_payout
    from tests.payouts.conftest import DETAILS

    at = utc_now()
    for shop in Merchant.objects.all():
        open_bank_account(
            merchant_id=shop.id, livemode=True, details=DETAILS, actor="bench", now=at
        )
        schedule_payout(
            merchant=shop, livemode=True, currency="BSD", amount=None,
            origin=PayoutOrigin.STAFF, actor="bench", now=at,
        )  # fmt: skip
    seal()


def prove() -> None:
    """Run the command as an operator does, and report time and memory."""
    command = [sys.executable, "manage.py", "verify_ledger"]
    began = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - began
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    sys.stdout.write(
        f"{done.stdout}{done.stderr}verify_ledger: {seconds:.1f} s, of which"
        f" {used.ru_utime + used.ru_stime:.1f} s in Python; at most {used.ru_maxrss // 1024} MB\n"
    )
    if done.returncode:
        sys.exit(done.returncode)


def timed(what: str, work: Callable[[], object]) -> None:
    began = time.monotonic()
    work()
    say(f"{what} in {time.monotonic() - began:.1f} s")


if __name__ == "__main__":
    main()
