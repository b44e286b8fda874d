"""What slow statements take is counted for the thread that waits, also where they are ended."""

import pytest
from django.db import OperationalError, connection, transaction

from core.statement_time import note_statement, statement_seconds
from tests.races import at_once

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]


def test_a_slow_statement_counts_beyond_what_is_ordinary() -> None:
    before = statement_seconds()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(0.05)")

    assert 0.04 <= statement_seconds() - before < 5


def test_one_that_is_ended_counts_as_well() -> None:
    before = statement_seconds()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 50")
        with pytest.raises(OperationalError), transaction.atomic():
            cursor.execute("SELECT pg_sleep(5)")

    assert 0.04 <= statement_seconds() - before < 5


def test_an_ordinary_one_does_not() -> None:
    before = statement_seconds()
    note_statement(0.009)

    assert statement_seconds() == before


def test_each_thread_has_waited_by_itself() -> None:
    note_statement(1.01)

    assert statement_seconds() >= 1
    assert at_once([statement_seconds]) == [0]
