"""Writes that wait for the statement that ends a request: sent once, and never read around."""

from collections.abc import Iterator
from contextlib import suppress

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from core.models import IdempotencyKey
from core.writing import HeldWrites, Write, held_writes, write_last


def keep(*keys: str) -> Write:
    rows = ", ".join(["('tests', %s, '', '', CURRENT_TIMESTAMP)"] * len(keys))
    return Write(
        "INSERT INTO core_idempotencykey (scope, key, fingerprint, location, created_at)"
        f" VALUES {rows}",
        [*keys],
    )


def kept() -> list[str]:
    return sorted(IdempotencyKey.objects.filter(scope="tests").values_list("key", flat=True))


@pytest.fixture
def counts() -> list[int]:
    return []


@pytest.fixture
def held(db: None) -> Iterator[HeldWrites]:
    with transaction.atomic(), held_writes() as held:
        yield held


def test_they_are_sent_with_what_comes_last(held: HeldWrites, counts: list[int]) -> None:
    with CaptureQueriesContext(connection) as sent:
        write_last(keep("first"), keep("second", "third"), then=counts.append)
        assert not sent.captured_queries
        held.send(keep("answer"))

    assert kept() == ["answer", "first", "second", "third"]
    assert counts == [2], "of the last one held, not of the one sent beside it"
    assert len(sent) == (1 if connection.vendor == "postgresql" else 3)


def test_a_statement_in_between_finds_them_written(held: HeldWrites, counts: list[int]) -> None:
    write_last(keep("first"), then=counts.append)

    assert kept() == ["first"]
    assert counts == [1]

    held.send(keep("answer"))
    assert kept() == ["answer", "first"]
    assert counts == [1]


def test_later_ones_keep_their_order(held: HeldWrites, counts: list[int]) -> None:
    write_last(keep("first"), then=counts.append)
    change = Write("UPDATE core_idempotencykey SET key = 'changed' WHERE scope = 'tests'", [])
    write_last(change, then=counts.append)
    held.send()

    assert kept() == ["changed"]
    assert counts == [1, 1]


def test_a_savepoint_keeps_what_came_before_it_and_undoes_what_came_in_it(
    held: HeldWrites, counts: list[int]
) -> None:
    write_last(keep("before"), then=counts.append)
    with suppress(ZeroDivisionError), transaction.atomic():
        write_last(keep("in it"), then=counts.append)
        raise ZeroDivisionError
    held.send()

    assert kept() == ["before"]


def test_an_error_leaves_them_unsent(db: None, counts: list[int]) -> None:
    with suppress(ZeroDivisionError), transaction.atomic(), held_writes():
        write_last(keep("first"), then=counts.append)
        raise ZeroDivisionError

    assert kept() == []
    assert counts == []


def test_elsewhere_they_are_sent_at_once(db: None, counts: list[int]) -> None:
    write_last(keep("first"), keep("second"), then=counts.append)

    assert counts == [1]
    assert kept() == ["first", "second"]
