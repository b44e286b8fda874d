"""Lists of what ended long ago: none is looked for along all that is newer, of others."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from backoffice.resource import paginator
from backoffice.roles import Role
from bench.copies import copy_row
from ledger.models import Account, Purpose, Transfer
from merchants.models import Merchant
from payments.models import Payment
from tests.backoffice.conftest import Office
from tests.backoffice.rows import paid_payment
from tests.factories import PaymentFactory
from tests.webhooks.dispatching import emit_event, endpoint_of, only_delivery
from webhooks.models import Event

OLD, NEWER = 300, 3_000
PAGE = 50
pytestmark = [pytest.mark.django_db, pytest.mark.postgres]


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paginator, "COUNTED", PAGE)


def grow(old: Any, newer: Any, prefix: str, **changes: str) -> None:
    """Copy both rows, the older before all newer ones, by id and by creation."""
    for row, letter, count in ((old, "0", OLD), (newer, "1", NEWER)):
        copy_row(row, placed(prefix, letter) | changes, count=count)
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {old._meta.db_table}")


def placed(prefix: str, letter: str) -> dict[str, str]:
    """Return the columns of copies with this letter: 0 is a day before the row, 1 a day after."""
    day = f"template.created_at + interval '1 day' * (2 * {letter} - 1)"
    return {"id": f"'{prefix}_{letter}' || i", "created_at": f"{day} + interval '1 ms' * (i % 1e4)"}


def test_events_of_a_merchant_that_stopped_are_not_looked_for_among_newer_ones(
    office: Office, merchant: Merchant, stranger: Merchant
) -> None:
    grow(emit_event(merchant), emit_event(stranger), "evt")

    for mode in ("test", "both"):
        assert_page_alone(office, Event, f"webhooks/event/?mode={mode}&merchant={merchant.pk}")


def test_deliveries_to_an_old_endpoint_are_not_looked_for_among_newer_ones(
    office: Office, merchant: Merchant, stranger: Merchant
) -> None:
    old, new = (endpoint_of(each, "https://shop.example.com/") for each in (merchant, stranger))
    for each in (merchant, stranger):
        emit_event(each)
    earlier, later = Event.objects.order_by("pk")
    grow(earlier, later, "evt")
    first, newer = (only_delivery(endpoint) for endpoint in (old, new))
    for row, letter, count in ((first, "0", OLD), (newer, "1", NEWER)):
        event = {"event_id": f"'evt_{letter}' || i"}
        copy_row(row, placed("dlv", letter) | event, count=count)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE webhooks_delivery")

    assert_page_alone(office, type(first), f"webhooks/delivery/?mode=both&endpoint={old.pk}")


def test_payments_of_a_merchant_that_stopped_are_not_looked_for_among_newer_ones(
    office: Office, merchant: Merchant, stranger: Merchant
) -> None:
    grow(PaymentFactory(merchant=merchant), PaymentFactory(merchant=stranger), "pay")

    assert_page_alone(office, Payment, f"payments/payment/?mode=both&merchant={merchant.pk}")


def test_the_largest_of_a_customer_are_not_looked_for_among_all_amounts(
    office: Office, merchant: Merchant, stranger: Merchant
) -> None:
    small, large = paid_payment(merchant, 100), PaymentFactory(merchant=stranger, amount=900)
    own = placed("pay", "0") | {"transaction_id": "'txn_' || i"}
    copy_row(small, own, count=OLD)
    copy_row(large, placed("pay", "1"), count=NEWER)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE payments_payment")
    viewer = office(Role.ADMINISTRATOR)
    path = f"/admin/payments/payment/?mode=both&customer={small.customer_id}&sort=largest"

    with CaptureQueriesContext(connection) as sent:
        viewer.get(path)

    table = Payment._meta.db_table
    statements = [it["sql"] for it in sent if f'FROM "{table}"' in it["sql"]]
    assert sum(rows_read(sql, table) for sql in statements) < 3 * OLD


def test_transfers_of_an_old_account_are_not_looked_for_among_newer_ones(
    office: Office, merchant: Merchant, stranger: Merchant
) -> None:
    paid_payment(merchant), paid_payment(stranger)
    transfers = Transfer.objects.filter(kind="payment").order_by("pk")
    for row, count in zip(transfers, (OLD, NEWER), strict=True):
        new = {
            "reference": f"'pay_{row.pk}_' || i",
            "created_at": f"now() + interval '{row.pk} hours'",
        }
        copy_row(row, new, count=count)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE ledger_transfer")
    account = Account.objects.get(owner=merchant.pk, purpose=Purpose.MERCHANT)

    assert_page_alone(office, Transfer, f"ledger/transfer/?mode=both&account={account.pk}")


def assert_page_alone(office: Office, model: Any, path: str) -> None:
    """Open a list; assert that its page is the newest, and that few rows are read for it."""
    viewer = office(Role.ADMINISTRATOR)
    with CaptureQueriesContext(connection) as sent:
        response = viewer.get(f"/admin/{path}")

    assert response.status_code == 200
    shown = [row.pk for row in response.context["cl"].result_list]
    own = response.context["cl"].queryset.order_by("-pk").values_list("pk", flat=True)
    assert shown == list(own[:PAGE])
    table = model._meta.db_table
    statements = [it["sql"] for it in sent if re.search(rf'FROM "{table}"', it["sql"])]
    assert sum(rows_read(sql, table) for sql in statements) < 10 * PAGE


def rows_read(sql: str, table: str) -> float:
    """Return how many rows of a table a statement reads, with those that it leaves out.

    A table as small as this one may be read from end to end; those of a million rows never are.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}")
        ((found,),) = cursor.fetchall()
    nodes, read = [found[0]["Plan"]], 0.0
    for node in nodes:
        nodes += node.get("Plans", [])
        if node.get("Relation Name") == table:
            each = node["Actual Rows"] + node.get("Rows Removed by Filter", 0)
            read += each * node["Actual Loops"]
    return read
