"""What every app uses to prove its rows against the ledger.

The database does the joins and returns only wrong rows, in chunks: memory use does not grow with
the ledger.
"""

from collections.abc import Iterator
from typing import Any, TypeVar

from django.db.models import Model, OuterRef, QuerySet

from ledger.models import Transfer, TransferKind

CHUNK = 2_000

_Row = TypeVar("_Row", bound=Model)


def any_of(*rows: QuerySet[Any]) -> bool:
    """Return whether there is anything to compare: a room without rows costs a proof little."""
    return any(some.exists() for some in rows)


def each(rows: QuerySet[_Row]) -> Iterator[_Row]:
    """Yield the rows in the order of their keys."""
    return rows.order_by("pk").iterator(chunk_size=CHUNK)


def keys_of(rows: QuerySet[Any]) -> Iterator[Any]:
    """Yield the keys alone, in order."""
    return rows.order_by("pk").values_list("pk", flat=True).iterator(chunk_size=CHUNK)


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
