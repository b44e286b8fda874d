"""What a list shows as its `total`, kept by triggers; and `manage.py recount`"""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from bench.copies import copy_row
from core import tasks
from core.clock import utc_now
from core.counts import fold_changes, numbers_of_all
from core.models import CountEntry, ListTotal
from merchants.models import Merchant
from payments.counts import PAYMENTS
from payments.expiry import expire_due
from payments.models import Payment
from payments.statuses import PaymentStatus
from tests.client import Api
from tests.factories import PaymentFactory
from tests.payments.journeys import bring_to
from tests.races import at_once

pytestmark = pytest.mark.django_db

# One more than a page holds: what fits on it is not looked up.
MORE = {"limit": 1}


def total(api: Api, merchant: Merchant, path: str = "/v1/payments", **query: Any) -> int:
    response = api(merchant).get(path, {**MORE, **query})
    assert response.status_code == 200, response.json()
    return int(response.json()["total"])


def counts() -> dict[tuple[str, ...], int]:
    entries = CountEntry.objects.filter(list="payments").values_list("status", "kind", "change")
    return {(status, kind): change for status, kind, change in entries}


def test_it_shows_how_many_there_are(api: Api, merchant: Merchant) -> None:
    for status in PaymentStatus:
        bring_to(PaymentFactory(merchant=merchant), status)
    PaymentFactory(merchant=merchant, payment_mode="REFERENCE_PAY", reference="R-1")
    PaymentFactory()

    assert total(api, merchant) == 9
    assert {total(api, merchant, status=status) for status in set(PaymentStatus) - {"created"}} == {
        1
    }
    assert total(api, merchant, status="created") == 2
    assert total(api, merchant, payment_mode="REFERENCE_PAY") == 1
    assert total(api, merchant, payment_mode="DYNAMIC_PAY", status="created") == 1
    assert total(api, merchant, payment_mode="INVOICE_PAY") == 0
    assert total(api, merchant, reference="R-1") == 1


def test_it_is_the_same_before_and_after_the_sum(api: Api, merchant: Merchant) -> None:
    bring_to(PaymentFactory(merchant=merchant), PaymentStatus.COMPLETED)
    PaymentFactory.create_batch(3, merchant=merchant)
    queries: list[dict[str, str]] = [{}, {"status": "completed"}, {"payment_mode": "DYNAMIC_PAY"}]
    before = [total(api, merchant, **query) for query in queries]

    tasks.fold_counts()
    PaymentFactory(merchant=merchant)
    tasks.fold_counts()

    assert before == [4, 1, 4]
    assert [total(api, merchant, **query) for query in queries] == [5, 1, 5]
    assert not CountEntry.objects.filter(is_sum=False).exists()


@pytest.mark.postgres
def test_sums_are_not_read_to_delete_what_was_added_to_them(merchant: Merchant) -> None:
    sums = CountEntry(list="payments", livemode=False, status="", kind="", change=1, is_sum=True)
    copy_row(CountEntry.objects.bulk_create([sums])[0], {"owner": "'mer_' || i"}, count=4_000)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE core_countentry")
    PaymentFactory.create_batch(40, merchant=merchant)

    with CaptureQueriesContext(connection) as sent:
        fold_changes()

    [deletion] = [it["sql"] for it in sent if it["sql"].startswith("DELETE")]
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {deletion}")
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "using count_entry_new" in plan
    assert fold_changes() == 0


def test_an_overdue_payment_counts_as_expired(api: Api, merchant: Merchant) -> None:
    created = PaymentFactory.create_batch(3, merchant=merchant)
    pending = PaymentFactory.create_batch(3, merchant=merchant)
    for payment in pending:
        bring_to(payment, PaymentStatus.PENDING)
    overdue = Payment.objects.filter(pk__in=[created[0].pk, pending[0].pk])
    overdue.update(expires_at=utc_now())
    expected = {"created": 2, "expired": 2, "pending": 2}

    assert {status: total(api, merchant, status=status) for status in expected} == expected
    assert total(api, merchant, status="expired", payment_mode="ORDER_PAY") == 0
    assert expire_due(now=utc_now()) == 2
    assert {status: total(api, merchant, status=status) for status in expected} == expected


def test_what_is_undone_does_not_count(api: Api, merchant: Merchant) -> None:
    with transaction.atomic():
        PaymentFactory(merchant=merchant)
        transaction.set_rollback(True)

    assert total(api, merchant) == 0


def test_links_refunds_and_deliveries_are_counted(api: Api, merchant: Merchant) -> None:
    client = api(merchant)
    hook = client.post("/v1/webhooks", {"url": "https://shop.example.com", "events": ["*"]}).json()
    link = client.post("/v1/payment-links", {"merchant_slug": merchant.slug, "amount": 500}).json()
    client.post(f"/v1/payment-links/{link['id']}/deactivate")
    payment = client.post("/v1/payments", {"amount": 500}).json()
    client.post(f"/v1/payments/{payment['id']}/confirm")
    for _ in range(2):
        client.post(f"/v1/payments/{payment['id']}/refund", {"amount": 100})
    tasks.fold_counts()

    deliveries = f"/v1/webhooks/{hook['id']}/deliveries"
    assert total(api, merchant, "/v1/payment-links", status="active") == 0
    assert total(api, merchant, "/v1/payment-links", status="deactivated") == 1
    assert total(api, merchant, "/v1/refunds", status="succeeded") == 2
    assert total(api, merchant, "/v1/events", type="refund.created") == 2
    assert total(api, merchant, deliveries, status="pending") == total(api, merchant, "/v1/events")
    assert total(api, merchant, deliveries, status="failed") == 0


def test_what_is_filtered_is_not_counted_row_by_row(api: Api, merchant: Merchant) -> None:
    sale = bring_to(PaymentFactory(merchant=merchant, amount=500), PaymentStatus.COMPLETED)
    for _ in range(2):
        PaymentFactory(merchant=merchant)
        api(merchant).post(f"/v1/payments/{sale.id}/refund", {"amount": 100})
        link = {"merchant_slug": merchant.slug, "amount": 500}
        api(merchant).post("/v1/payment-links", link)
    tasks.fold_counts()
    CountEntry.objects.update(change=9)

    assert total(api, merchant, status="created", payment_mode="DYNAMIC_PAY") == 9
    assert total(api, merchant, "/v1/payment-links", status="active") == 9
    assert total(api, merchant, "/v1/refunds", status="succeeded") == 9
    assert total(api, merchant, "/v1/events", type="refund.created") == 9


def test_a_stranger_counts_its_own(api: Api, merchant: Merchant, stranger: Merchant) -> None:
    PaymentFactory.create_batch(2, merchant=merchant)

    assert total(api, stranger) == 0
    live = api(merchant, live=True).get("/v1/payments", {"offset": 9})
    assert live.json()["total"] == 0


def test_recount_names_a_wrong_count_and_puts_it_right(api: Api, merchant: Merchant) -> None:
    PaymentFactory.create_batch(2, merchant=merchant)
    call_command("recount")
    tasks.fold_counts()
    CountEntry.objects.filter(list="payments").update(change=7)

    # It is neither the number of rows nor its part of the total of all owners.
    with pytest.raises(CommandError, match="2 counts are wrong"):
        call_command("recount")
    assert total(api, merchant) == 7
    call_command("recount", repair=True)

    assert total(api, merchant) == 2
    call_command("recount")


def test_all_owners_are_counted_without_reading_the_sums_of_each(
    merchant: Merchant, stranger: Merchant
) -> None:
    for owner in (merchant, stranger):
        PaymentFactory(merchant=owner)
        passed_through = bring_to(PaymentFactory(merchant=owner), PaymentStatus.PENDING)
        bring_to(passed_through, PaymentStatus.CANCELED)
    mode = ("DYNAMIC_PAY", False)
    expected = {("created", *mode): 2, ("pending", *mode): 0, ("canceled", *mode): 2}
    assert dict(numbers_of_all(PAYMENTS)) == expected

    tasks.fold_counts()
    bring_to(PaymentFactory(merchant=merchant), PaymentStatus.CANCELED)
    CountEntry.objects.filter(list="payments", is_sum=True).delete()

    assert dict(numbers_of_all(PAYMENTS)) == expected | {("canceled", *mode): 3}


def test_recount_names_a_wrong_total_of_all_owners_and_puts_it_right(merchant: Merchant) -> None:
    PaymentFactory(merchant=merchant)
    bring_to(PaymentFactory(merchant=merchant), PaymentStatus.CANCELED)
    tasks.fold_counts()
    before = numbers_of_all(PAYMENTS)
    ListTotal.objects.filter(list="payments", status="created").update(number=7)
    ListTotal.objects.filter(list="payments", status="canceled").delete()  # as before there was one

    with pytest.raises(CommandError, match="2 counts are wrong"):
        call_command("recount")
    call_command("recount", repair=True)

    call_command("recount")
    assert numbers_of_all(PAYMENTS) == before


@pytest.mark.django_db(transaction=True)
def test_many_at_once_are_each_counted_once(api: Api, merchant: Merchant) -> None:
    def make() -> None:
        payment = PaymentFactory(merchant=merchant)
        bring_to(payment, PaymentStatus.CANCELED)

    fold: Callable[[], None] = tasks.fold_counts
    outcomes = at_once([make, fold, make, fold] * 4)

    assert outcomes == [None] * 16
    assert total(api, merchant) == total(api, merchant, status="canceled") == 8
    tasks.fold_counts()
    assert counts() == {("created", "DYNAMIC_PAY"): 0, ("canceled", "DYNAMIC_PAY"): 8}
    call_command("recount")
