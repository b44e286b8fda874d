"""What matches a filter and a status is counted in an index that has both, without its rows."""

import pytest
from django.db import connection

from core.clock import utc_now
from core.pagination import count_some
from merchants.models import Merchant
from payments.models import Payment
from tests.lone_index import leave_only


@pytest.mark.django_db
@pytest.mark.postgres
@pytest.mark.parametrize(
    ("index", "given"),
    [
        ("payment_by_amount_status", {"amount__gte": 1}),
        ("payment_by_currency_status", {"currency": "BSD"}),
        ("payment_updated_status", {"updated_at__gte": utc_now()}),
    ],
)
def test_a_filter_and_a_status_are_counted_in_an_index(
    merchant: Merchant, index: str, given: dict[str, object]
) -> None:
    found = Payment.objects.filter(merchant=merchant, livemode=False, status="failed", **given)
    leave_only(index, Payment)
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_bitmapscan = off")

    plan = found.values("livemode", "status").explain()

    assert f"Index Only Scan using {index}" in plan
    assert "failed" in plan.partition("Index Cond")[2].partition("Filter")[0]
    assert count_some(found) == 0
