"""What a test has prepared is there for the next one, unless a table has changed."""

import pytest
from django.db import connection, transaction

from merchants.models import Merchant

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]
PREPARED = "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE %s"
NAME = "prepared and kept"


def send_twice() -> None:
    """Send a statement that no other test does, and undo it as the end of a test would."""
    with transaction.atomic():
        for _ in range(2):
            Merchant.objects.filter(name=NAME).extra(select={NAME.replace(" ", "_"): "1"}).first()
        transaction.set_rollback(True)


def count_prepared() -> int:
    with connection.cursor() as cursor:
        cursor.execute(PREPARED, [f"%{NAME.replace(' ', '_')}%"])
        return int(cursor.fetchone()[0])


def test_they_outlast_a_rollback() -> None:
    send_twice()

    assert count_prepared() == 1


def test_they_end_with_a_change_of_a_table() -> None:
    send_twice()
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE merchants_merchant ADD COLUMN another integer")

    assert count_prepared() == 0
