"""The statistics of an expression: made at once, again after an interruption, and undone."""

import pytest
from django.db import connection

from core.column_statistics import KeepStatistics
from merchants.models import Merchant
from tests.factories import MerchantFactory

KEPT = KeepStatistics("merchant_in_small", Merchant._meta.db_table, "lower(name)")


def known() -> list[tuple[float]]:
    """Return what PostgreSQL expects of the number of different values, if anything."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT n_distinct FROM pg_stats_ext_exprs WHERE statistics_name = %s", [KEPT.name]
        )
        rows: list[tuple[float]] = cursor.fetchall()
    return rows


@pytest.mark.postgres
@pytest.mark.django_db
def test_they_are_made_at_once_and_may_be_made_again() -> None:
    for name in ("Reef", "REEF", "Conch"):
        MerchantFactory(name=name)

    with connection.schema_editor(atomic=False) as editor:
        for _ in range(2):
            KEPT.forwards(editor)
        [(values,)] = known()
        assert values < 0  # as a share of the rows: two of three
        KEPT.backwards(editor)

    assert known() == []
