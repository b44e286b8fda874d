"""How quickly the back office responds where one merchant has a million payments.

`python -m bench.admin [--payments 1111111]` fills a PostgreSQL of its own, nine in ten payments one
merchant's, opens each list, filter and search a few times as a member of staff would, and exports a
day while others work. It prints goal, median and whether it holds, and exits 1 where one does not.
"""

import argparse
import os
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from bench.staff_exports import rows_of_export

LIMIT_MS = 300
TIMES = 7
EXPORTED = 10_000
MERCHANTS, CUSTOMERS, DAYS = 200, 100_000, 90
LARGE = f"mer_{'7'.rjust(30, '0')}"  # the merchant of nine in ten payments
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--payments", type=int, default=1_111_111)
    count = parser.parse_args().payments
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # not without ending the server
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
    """Start a cluster of one's own, point Django at it, and remove it in the end.

    `options` are PostgreSQL's, beside those of the tests.
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
            yield
            _disconnect()
        finally:
            server.remove()


def _set_up(url: str) -> None:
    import django

    from tests import run_environment

    run_environment.apply()
    os.environ["DATABASE_URL"] = url
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    os.environ["DEVELOPMENT_MODE"] = "true"
    django.setup()
    from django.conf import settings
    from django.core.management import call_command

    settings.DATABASES["default"]["OPTIONS"]["options"] = ""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.ALLOWED_HOSTS = ["*"]
    call_command("migrate", verbosity=0)


def _disconnect() -> None:
    from django.db import connection

    connection.close_pool()  # type: ignore[attr-defined]  # PostgreSQL's connection has one


def build(count: int) -> None:
    """Insert the rows by statements that the database runs by itself."""
    from django.db import connection

    from tests.backoffice.rows import paid_payment

    payment = paid_payment()
    ids = (payment.pk, payment.merchant_id, str(payment.customer_id))
    with connection.cursor() as cursor:
        for statement in _statements(*ids, count):
            cursor.execute(statement)
        cursor.execute("VACUUM ANALYZE")


def _base62(number: str, width: int) -> str:
    """Return an expression that writes a number as ids do."""
    digits = (
        f"substr('{ALPHABET}', (({number}) / {62**place} % 62)::int + 1, 1)"
        for place in reversed(range(width))
    )
    return " || ".join(digits)


def _copy(table: str, template: str, changes: dict[str, str], series: str) -> str:
    """Return a statement that repeats a row with changes, once per number `n` of a series."""
    from django.apps import apps

    model = next(model for model in apps.get_models() if model._meta.db_table == table)
    names = [str(field.column) for field in model._meta.concrete_fields]
    values = [changes.get(name, f"row.{name}") for name in names]
    return f"""
        INSERT INTO {table} ({", ".join(names)})
        SELECT {", ".join(values)} FROM {table} AS row, generate_series(1, {series}) AS n
        WHERE row.id = '{template}'
    """  # noqa: S608  # no part of it comes from outside


def _statements(payment_id: str, merchant_id: str, customer_id: str, count: int) -> Iterator[str]:
    yield _copy(
        "merchants_merchant",
        merchant_id,
        {
            "id": "'mer_' || lpad(n::text, 30, '0')",
            "name": "'Shop number ' || n",
            "slug": "'shop-number-' || n",
            "email": "'owner' || n || '@shop.example'",
        },
        str(MERCHANTS),
    )
    yield _copy(
        "customers_customer",
        customer_id,
        {
            "id": "'cus_' || lpad(n::text, 30, '0')",
            "phone": "'+1242' || lpad((n * 37 % 10000000)::text, 7, '0')",
            "email": "'pat' || n || '@example.com'",
        },
        str(CUSTOMERS),
    )
    yield _payments(payment_id, count)


def _payments(payment_id: str, count: int) -> str:
    """Spread over the days; 85 % paid, the rest failed, expired, canceled or open."""
    # The newest first: number 1 is a moment ago.
    at = f"utc_now() - interval '{DAYS} days' * n / {count}"
    milliseconds = f"(extract(epoch FROM {at}) * 1000)::bigint"
    kind = "(n % 100)"

    def when(low: int, high: int, value: str, otherwise: str = "NULL") -> str:
        return f"CASE WHEN {kind} >= {low} AND {kind} < {high} THEN {value} ELSE {otherwise} END"

    changes = {
        "id": f"'pay_' || {_base62(milliseconds, 8)} || substr(md5(n::text), 1, 22)",
        "merchant_id": f"""CASE WHEN n % 10 < 9 THEN '{LARGE}'
            ELSE 'mer_' || lpad((n % {MERCHANTS} + 1)::text, 30, '0') END""",
        "customer_id": f"'cus_' || lpad((n::bigint * 7919 % {CUSTOMERS} + 1)::text, 30, '0')",
        "amount": "CASE WHEN n % 20 = 0 THEN 1250 ELSE (n::bigint * 31 % 20000) + 1 END",
        "fee": when(0, 85, "0"),
        "status": f"""CASE WHEN {kind} < 85 THEN 'completed' WHEN {kind} < 90 THEN 'failed'
            WHEN {kind} < 97 THEN 'expired' WHEN {kind} < 99 THEN 'canceled' ELSE 'created' END""",
        "transaction_id": when(0, 85, "'txn_' || lpad(n::text, 30, '0')"),
        "reference": "CASE WHEN n % 10 = 1 THEN 'R-' || n END",
        "order_id": "CASE WHEN n % 10 = 2 THEN 'Order ' || n END",
        "invoice_number": "CASE WHEN n % 20 = 3 THEN 'INV/' || n END",
        "customer_email": "CASE WHEN n % 20 = 3 THEN 'Payer' || n || '@example.com' END",
        "metadata": "CASE WHEN n % 3 = 0 THEN jsonb_build_object('cart', 'c' || n) ELSE '{}' END",
        "created_at": at,
        "updated_at": at,
        "completed_at": when(0, 85, at),
        "failed_at": when(85, 90, at),
        "expired_at": when(90, 97, at),
        "canceled_at": when(97, 99, at),
    }
    return _copy("payments_payment", payment_id, changes, str(count))


def measure(count: int) -> list[str]:
    """Open every page a few times; print what was measured, and return what does not hold."""
    from django.core.cache import cache
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from backoffice.figures import count_finished_days
    from backoffice.roles import Role
    from core.clock import utc_now
    from tests.backoffice.conftest import sign_in

    count_finished_days(now=utc_now())
    browser, slow = sign_in(Role.ADMINISTRATOR), []
    browser.get("/admin/merchants/merchant/")  # reads the templates, as a running service has
    row = "{:40} {:>8} {:>8} {:>9} {:>11} {:>6}"
    say(row.format("page", "goal", "median", "worst", "statements", "holds"))
    for name, path in _pages().items():
        times = []
        for _ in range(TIMES):
            cache.clear()
            started = time.perf_counter()
            with CaptureQueriesContext(connection) as statements:
                response = browser.get(path)
            times.append((time.perf_counter() - started) * 1_000)
            if response.status_code not in (200, 302):
                raise RuntimeError(f"{path} answered {response.status_code}")
        median = statistics.median(times)
        took = (f"{LIMIT_MS} ms", f"{median:.0f} ms", f"{max(times):.0f} ms")
        holds = median <= LIMIT_MS
        say(row.format(name, *took, len(statements), "yes" if holds else "no"))
        slow += [] if holds else [name]
    filters = f"mode=test&merchant={LARGE}"
    page = f"/admin/payments/payment/?{filters}"
    export = f"/admin/payments/payment/export/xlsx/?{filters}&{_days_of_export(count)}"
    for name, goal, measured, holds in rows_of_export(browser, export, page, LIMIT_MS):
        say(row.format(name, goal, measured, "", "", "yes" if holds else "no"))
        slow += [] if holds else [name]
    return slow


def _days_of_export(count: int) -> str:
    """Return the filter by day that some 10,000 payments of the large merchant pass."""
    from core.clock import utc_now

    days = min(DAYS, -(-EXPORTED * DAYS // (count * 9 // 10)))
    last = utc_now().date() - timedelta(days=1)
    return f"day_from={last - timedelta(days=days - 1)}&day_to={last}"


def _pages() -> dict[str, str]:
    from core.money import decimal_text
    from customers.models import Customer
    from payments.models import Payment

    payment = Payment.objects.filter(status="completed").order_by("pk")[5_000]
    phone = Customer.objects.get(pk=payment.customer_id).phone
    ending, day = phone[-4:], payment.created_at.date().isoformat()
    amount = decimal_text(payment.amount or 0, payment.currency)
    payments, search = "/admin/payments/payment/", "/admin/search/?q="
    of_large = f"{payments}?mode=test&merchant={LARGE}"
    return {
        "dashboard, nothing cached": "/admin/?mode=test",
        "payments": f"{payments}?mode=test",
        "payments, page 20": f"{payments}?mode=test&p=20",
        "payments of yesterday": f"{payments}?mode=test&day=yesterday",
        "payments, failed": f"{payments}?mode=test&status=failed",
        "payments, processing (none)": f"{payments}?mode=test&status=processing",
        "payments, of the other mode (none)": f"{payments}?mode=live",
        "payments of a merchant": of_large,
        "payments of a merchant by name": f"{payments}?mode=test&merchant=shop number 7",
        "payments of a merchant, processing (none)": f"{of_large}&status=processing",
        "payments of a merchant, failed or open": f"{of_large}&status=failed,created",
        "payments of a merchant, a kind (none)": f"{of_large}&payment_mode=INVOICE_PAY",
        "payments of a merchant, largest": f"{of_large}&sort=largest",
        "payments of a merchant, paid yesterday": f"{of_large}&paid=yesterday",
        "the merchant": f"/admin/merchants/merchant/{LARGE}/change/",
        "payments of a customer": f"{payments}?mode=both&customer={payment.customer_id}",
        "payments, failed, 7 days, a kind": f"{payments}?mode=test&day=7&status=failed"
        "&payment_mode=DYNAMIC_PAY",
        "a payment": f"{payments}{payment.pk}/change/",
        "search: id": f"{search}{payment.pk}",
        "search: transaction": f"{search}{payment.transaction_id}",
        "search: phone": f"{search}%2B{phone[1:]}",
        "search: customer's e-mail": f"{search}pat77@example.com",
        "search: invoice's e-mail": f"{search}payer400003@example.com",
        "search: reference": f"{search}r-400001",
        "search: order": f"{search}order 400002",
        "search: invoice": f"{search}INV/400003",
        "search: metadata, any name": f"{search}c300000",
        "search: metadata, by name": f"{search}cart=c300000",
        "search: amount with a comma": f"{search}49,99",
        "search: amount, a common one": f"{search}12.50",
        "search: amount, last four": f"{search}12.50 {ending}",
        "search: amount, last four, day": f"{search}{amount} {ending} {day}",
        "search: last four, day": f"{search}{ending} {day}",
        "search: request": f"{search}some-request-id-of-a-shop",
        "search: nothing": f"{search}no such thing at all",
        "search: merchant's name": f"{search}shop number 77",
        "customers": "/admin/customers/customer/?mode=test",
        "merchants": "/admin/merchants/merchant/",
    }


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
