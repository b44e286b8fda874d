"""What a public id is in the database."""

from datetime import timedelta

import pytest
from django.db import connection

from core.clock import utc_now
from core.ids import new_id
from merchants.models import Merchant
from tests.factories import MerchantFactory


@pytest.mark.postgres
def test_it_has_one_index_and_compares_by_bytes(db):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT indexname FROM pg_indexes WHERE tablename IN ('payments_payment', "
            "'merchants_merchant') AND indexdef LIKE '%pattern_ops%' AND indexdef NOT LIKE '%slug%'"
        )
        second_indexes = cursor.fetchall()
        cursor.execute(
            "SELECT DISTINCT data_type, collation_name FROM information_schema.columns"
            " WHERE table_name = 'payments_payment' AND column_name IN ('id', 'merchant_id')"
        )
        columns = cursor.fetchall()

    assert second_indexes == []
    assert columns == [("character varying", "C")]


def test_it_sorts_capitals_before_small_letters(db):
    for name in ("mer_a", "mer_B", "mer_0"):
        MerchantFactory(id=name)

    ids = list(Merchant.objects.order_by("id").values_list("id", flat=True))

    assert ids == ["mer_0", "mer_B", "mer_a"]


def test_ids_sort_by_the_time_they_were_made(db):

    at = utc_now()
    made = [new_id("mer", at + timedelta(milliseconds=step)) for step in range(50)]

    assert made == sorted(made)
