"""What every app uses to prove its rows against the ledger.

The database does the joins and returns only wrong rows: memory use grows with those, not with the
ledger.
"""

from collections.abc import Callable, Iterator
from functools import cache
from string import Formatter
from typing import Any, TypeVar

from django.db import connection
from django.db.models import Model, OuterRef, QuerySet

from ledger.models import Transfer, TransferKind

CHUNK = 2_000

# Queries of rows that must not exist, each with the sentence about such a row. A sentence names the
# columns that it needs: "Payout {pk} is {status} without its transfer."
Faults = Iterator[tuple[str, QuerySet[Any]]]

_Row = TypeVar("_Row", bound=Model)


def name_each(faults: Callable[..., Faults], *arguments: Any) -> Iterator[str]:
    """Yield the sentence about each row that these queries return, in the order of their keys.

    The queries depend on the arguments alone and are compiled once: that takes longer than most
    take to execute.
    """
    for sentence, columns, statement, params in _compiled(faults, *arguments):
        for row in rows_of(statement, params):
            yield sentence.format(**dict(zip(columns, row, strict=True)))


@cache
def _compiled(
    faults: Callable[..., Faults], *arguments: Any
) -> list[tuple[str, list[str], str, Any]]:
    return [_compile(sentence, rows) for sentence, rows in faults(*arguments)]


def _compile(sentence: str, rows: QuerySet[Any]) -> tuple[str, list[str], str, Any]:
    columns = [name for _, name, _, _ in Formatter().parse(sentence) if name]
    statement, params = rows.order_by("pk").values_list(*columns).query.sql_with_params()
    return sentence, columns, statement, params


def rows_of(statement: str, params: Any) -> Iterator[tuple[Any, ...]]:
    """Yield what a statement returns."""
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        yield from cursor


def any_of(*rows: QuerySet[Any]) -> bool:
    """Return whether there is anything to compare: a room without rows costs a proof little."""
    return any(some.exists() for some in rows)


def each(rows: QuerySet[_Row]) -> Iterator[_Row]:
    """Yield the rows in the order of their keys."""
    return rows.order_by("pk").iterator(chunk_size=CHUNK)


def transfers_of(kind: TransferKind) -> QuerySet[Transfer]:
    """Return the transfers of this kind that belong to the outer row, such as a payment.

    That row has a `transaction_id`, a currency and a mode.
    """
    return Transfer.objects.filter(
        kind=kind,
        reference=OuterRef("pk"),
        transaction_id=OuterRef("transaction_id"),
        currency=OuterRef("currency"),
        livemode=OuterRef("livemode"),
    )
