"""Rows that are made once for all tests of a file: what each test changes of them is undone.

As with `setUpTestData` of Django, each test runs in a savepoint of the transaction around them. The
tests of such a file may not commit.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, TypeVar

from django.db import connection, transaction
from pytest_django import DjangoDbBlocker

from tests.run_environment import ON_POSTGRESQL
from tests.stopped_clock import INSTANT, standing_still

T = TypeVar("T")
# They are older than what a test makes.
BEFORE = timedelta(minutes=1)


@contextmanager
def shared(blocker: DjangoDbBlocker, make: Callable[[], T]) -> Iterator[T]:
    """Make rows; at the end, undo them."""
    around: Any = transaction.atomic()
    around._from_testcase = True  # what is durable in the service may run inside it
    with blocker.unblock(), around:
        _let_it_last()
        with standing_still(INSTANT - BEFORE):
            made = make()
        yield made
        transaction.set_rollback(True)


def _let_it_last() -> None:
    """A transaction of all tests of a file rests for longer than one of the service may."""
    if ON_POSTGRESQL:
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")


def check_foreign_keys_now() -> None:
    """Let no check wait for the end, where what it would look at is gone."""
    if ON_POSTGRESQL:
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
