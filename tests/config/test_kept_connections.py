"""A web thread keeps its connection from one request to the next, and loses none."""

from collections.abc import Iterator
from threading import Thread
from typing import Any
from unittest.mock import patch

import pytest
from django.db import OperationalError, connection
from psycopg_pool import ConnectionPool

from config.postgresql.base import DatabaseWrapper

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.postgres,
    pytest.mark.real_clock("the pool waits by it"),
]


@pytest.fixture
def kept() -> Iterator[DatabaseWrapper]:
    """A connection from a pool of two, as a web thread has it."""
    own: Any = connection.copy(alias="kept")
    pool = {"min_size": 2, "max_size": 2, "timeout": 10}
    own.settings_dict["OPTIONS"] |= {"pool": pool, "application_name": "kept"}
    own.settings_dict["KEPT_SECONDS"] = 60
    own.inc_thread_sharing()
    own.pool.open(wait=True)
    yield own
    own.close()
    own.close_pool()


def _backend(own: DatabaseWrapper) -> int:
    """Ask for the server's process in a request of its own."""
    with own.cursor() as cursor:
        (number,) = cursor.execute("SELECT pg_backend_pid()").fetchone()
    own.close_if_unusable_or_obsolete()
    return int(number)


def _free(pool: ConnectionPool) -> int:
    return pool.get_stats()["pool_available"]


def test_the_next_request_has_the_same_connection(kept: DatabaseWrapper) -> None:
    first = _backend(kept)

    assert _free(kept.pool) == 1
    assert _backend(kept) == first


def test_it_is_given_back_once_it_is_old(kept: DatabaseWrapper) -> None:
    kept.settings_dict["KEPT_SECONDS"] = 0

    _backend(kept)

    assert _free(kept.pool) == 2


@pytest.mark.parametrize("failed_before", [False, True])
def test_one_that_has_ended_meanwhile_fails_no_request(
    kept: DatabaseWrapper, failed_before: bool
) -> None:
    with kept.cursor():
        kept.errors_occurred = failed_before
    first = _backend(kept)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity"
            " WHERE application_name = 'kept' AND datname = current_database()"
        )

    assert _backend(kept) != first


def test_a_thread_gives_it_back_when_it_ends(kept: DatabaseWrapper) -> None:
    for _ in range(3):  # of two connections
        thread = Thread(target=_backend, args=(kept,))
        thread.start()
        thread.join()
        assert _free(kept.pool) == 2
        kept.close()

    assert _free(kept.pool) == 2, "and no second time"


def test_one_that_was_left_in_a_transaction_is_given_back(kept: DatabaseWrapper) -> None:
    """By a statement: Django knows only of those that it has begun."""
    with kept.cursor() as cursor:
        cursor.execute("BEGIN")
    kept.close_if_unusable_or_obsolete()

    assert _free(kept.pool) == 2, "and its locks are released"


def test_one_that_fails_halfway_is_given_back(kept: DatabaseWrapper) -> None:
    _backend(kept)
    kept.close()
    with (
        patch.object(kept, "init_connection_state", side_effect=OperationalError),
        pytest.raises(OperationalError),
    ):
        kept.connect()

    kept.close()

    assert _free(kept.pool) == 2
