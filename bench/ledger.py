"""How long `manage.py verify_ledger` takes, and in how much memory, beside many payments.

`python -m bench.ledger [--payments 200000] [--embedded]` builds sales with a fee each, refunds of
every twentieth, seals them, pays every merchant out, and runs the command in a process of its own;
then it proves what a thousand top-ups add. On a PostgreSQL or (embedded) an SQLite of its own.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bench.top_ups import add_top_ups

if TYPE_CHECKING:
    from refunds.models import Refund, RefundTransition

CUSTOMERS, MERCHANTS, FIRST = 1_000, 50, 1_000
FIRST_NUMBER = 1_000_000_000
PRICE, FEE, WALLET = 1_000, 25, 100_000_000
REFUND_EVERY = 20


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--payments", type=int, default=200_000)
    words.add_argument("--embedded", action="store_true", help="SQLite instead of PostgreSQL")
    chosen = words.parse_args()
    with database(embedded=chosen.embedded):
        said("built", lambda: build(chosen.payments))
        said("sealed", seal)
        said("paid out", pay_out)
        prove()
        said("what a thousand top-ups have added was proven", add_top_ups(seal))


@contextmanager
def database(*, embedded: bool) -> Iterator[None]:
    """Create a temporary database, point Django at it, and remove it at the end."""
    from tests.postgres import Postgres

    with tempfile.TemporaryDirectory(prefix="payments-bench-") as directory:
        Path(directory).chmod(0o711)
        if embedded:
            set_up(f"sqlite:///{directory}/db.sqlite3")
            yield
            return
        server = Postgres(Path(directory) / "postgresql", durable=True)
        server.create()
        server.start()
        try:
            set_up(server.url)
            yield
            disconnect()
        finally:
            server.remove()


def set_up(url: str) -> None:
    import django

    from tests import run_environment

    run_environment.apply()
    os.environ |= {
        "DATABASE_URL": url,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DEVELOPMENT_MODE": "true",
    }
    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def disconnect() -> None:
    from django.db import connection

    connection.close_pool()  # type: ignore[attr-defined]  # PostgreSQL's connection has one


def build(count: int) -> None:
    """Sell once, and let the database repeat it `count` times with other ids and owners."""
    from django.db import connection, transaction

    from core.clock import utc_now
    from ledger.models import Transfer
    from ledger.signing_past import sign_past
    from refunds.models import Refund, RefundTransition

    sale = sell()
    before = Transfer.objects.latest("id").pk
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL statement_timeout = 0")
        cursor.execute(payments(sale, count))
        cursor.execute(transfers("payment", "wallet", "merchant", PRICE))
        cursor.execute(transfers("fee", "merchant", "fees", FEE))
        cursor.execute(TRANSITIONS, [sale, sale])
        Refund.objects.bulk_create(refunds(), batch_size=500)
        RefundTransition.objects.bulk_create(refunded(), batch_size=500)
        cursor.execute(returns("refund_fee", "fees", "merchant", FEE))
        cursor.execute(returns("refund", "merchant", "wallet", PRICE))
        cursor.execute(UNSEALED, [before])
        cursor.execute(SPENT, [PRICE, sale])
    sign_past(now=utc_now())
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET statement_timeout = 0")
        cursor.execute("ANALYZE")


def sell() -> str:
    """Open all accounts, fill the wallets, and make the sale that the others are copies of."""
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


def payments(sale: str, count: int) -> str:
    """Return the statement that repeats a payment; every so many of them are refunded."""
    from payments.models import Payment

    changes = {
        "id": f"'pay_' || ({FIRST_NUMBER} + i)",
        "merchant_id": f"'mer_' || ({FIRST} + i % {MERCHANTS})",
        "customer_id": f"'cus_' || ({FIRST} + i % {CUSTOMERS})",
        "transaction_id": f"'txn_' || ({FIRST_NUMBER} + i)",
        "signature": "NULL",
        "amount_refunded": f"CASE WHEN i % {REFUND_EVERY} = 0 THEN {PRICE} ELSE 0 END",
    }
    names = [str(field.column) for field in Payment._meta.concrete_fields]
    values = [changes.get(name, f"sale.{name}") for name in names]
    return f"""
        WITH RECURSIVE numbers(i) AS (
            SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < {count}
        )
        INSERT INTO payments_payment ({", ".join(names)})
        SELECT {", ".join(values)} FROM numbers, payments_payment AS sale WHERE sale.id = '{sale}'
    """  # noqa: S608  # no part of it comes from outside


def transfers(kind: str, debit: str, credit: str, amount: int) -> str:
    """Return the statement that moves money for every copy of the payment."""
    return _moves(kind, "payments_payment", debit, credit, amount)


def returns(kind: str, debit: str, credit: str, amount: int) -> str:
    """Return the statement that moves money back for every refund."""
    return _moves(kind, "refunds_refund", debit, credit, amount)


def _moves(kind: str, table: str, debit: str, credit: str, amount: int) -> str:
    accounts = " ".join(
        f"JOIN ledger_account AS {side} ON {side}.purpose = '{purpose}'"
        f" AND {side}.owner = {'payment.customer_id' if purpose == 'wallet' else 'row.merchant_id'}"
        for side, purpose in (("debit", debit), ("credit", credit))
    )
    payment = "row.id" if table == "payments_payment" else "row.payment_id"
    return f"""
        INSERT INTO ledger_transfer (transaction_id, kind, reference, debit_account_id,
            credit_account_id, amount, currency, livemode, description, created_at)
        SELECT row.transaction_id, '{kind}', row.id, debit.id, credit.id, {amount}, 'BSD', true, '',
            row.created_at
        FROM {table} AS row JOIN payments_payment AS payment ON payment.id = {payment} {accounts}
        WHERE length(row.transaction_id) = {len(f"txn_{FIRST_NUMBER}")}
    """  # noqa: S608  # no part of it comes from outside


TRANSITIONS = """
    INSERT INTO payments_paymenttransition (payment_id, from_status, to_status, at, actor, cause)
    SELECT copy.id, move.from_status, move.to_status, move.at, move.actor, move.cause
    FROM payments_payment AS copy, payments_paymenttransition AS move
    WHERE move.payment_id = %s AND copy.id <> %s ORDER BY move.id
"""
UNSEALED = """
    INSERT INTO ledger_unsealedtransfer (transfer_id, debit_account_id, credit_account_id, amount)
    SELECT id, debit_account_id, credit_account_id, amount FROM ledger_transfer WHERE id > %s
"""
SPENT = """
    UPDATE ledger_account SET balance = balance - %s * (
        SELECT COUNT(*) FROM payments_payment
        WHERE customer_id = owner AND amount_refunded = 0 AND id <> %s
    ) WHERE purpose = 'wallet'
"""


def refunds() -> "Iterator[Refund]":
    """Make the refunds of the payments that say they were."""
    from payments.models import Payment
    from refunds.models import Refund

    for number, payment in enumerate(Payment.objects.filter(amount_refunded=PRICE)):
        at = payment.created_at
        yield Refund(
            id=f"ref_{FIRST_NUMBER + number}", payment=payment, merchant_id=payment.merchant_id,
            livemode=True, amount=PRICE, currency="BSD", status="succeeded",
            transaction_id=f"txn_{2 * FIRST_NUMBER + number}", fee_returned=FEE,
            created_by="bench", created_at=at, updated_at=at, succeeded_at=at,
        )  # fmt: skip


def refunded() -> "Iterator[RefundTransition]":
    """Make the transition of each refund."""
    from refunds.models import Refund, RefundTransition

    for refund in Refund.objects.all():
        yield RefundTransition(
            refund=refund, from_status="pending", to_status="succeeded", at=refund.created_at,
            actor="bench",
        )  # fmt: skip


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


def said(what: str, work: Callable[[], object]) -> None:
    began = time.monotonic()
    work()
    sys.stdout.write(f"{what} in {time.monotonic() - began:.1f} s\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
