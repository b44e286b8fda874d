"""What a worker without a broker is woken by: that another process wrote to the database."""

import threading
from collections.abc import Iterator

import pytest
from django.db import DatabaseError, connection

from config.database_writes import DatabaseWrites
from tests.factories import MerchantFactory

pytestmark = pytest.mark.django_db(transaction=True)
LONG = 40  # where others have the machine


@pytest.fixture
def writes() -> Iterator[DatabaseWrites]:
    """Watch for writes; the first look has been."""
    watched = DatabaseWrites()
    thread = threading.Thread(target=watched.watch, daemon=True)
    thread.start()
    watched.wait(0, seconds=LONG)
    yield watched
    watched.end()
    thread.join(LONG)
    assert not thread.is_alive()


def test_a_write_ends_the_wait(writes: DatabaseWrites) -> None:
    seen = writes.seen
    MerchantFactory()
    writes.wait(seen, seconds=LONG)

    assert writes.seen > seen


def test_a_write_before_the_wait_is_not_lost(writes: DatabaseWrites) -> None:
    seen = writes.seen
    MerchantFactory()
    writes.wait(seen, seconds=LONG)
    writes.wait(seen, seconds=LONG)

    assert writes.seen > seen


@pytest.mark.sqlite  # PostgreSQL counts the writes of its other databases along
def test_reading_is_no_write(writes: DatabaseWrites) -> None:
    seen = writes.seen
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM merchants_merchant")
    writes.wait(seen, seconds=0.3)

    assert writes.seen == seen


def test_a_database_that_does_not_answer_may_have_been_written_to(
    writes: DatabaseWrites, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise DatabaseError("gone")

    seen = writes.seen
    monkeypatch.setattr("config.database_writes._written_so_far", fail)
    writes.wait(seen, seconds=LONG)

    assert writes.seen > seen
