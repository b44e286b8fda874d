"""How periodic tasks process what is due: row by row, so that no row holds up the others."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import structlog
from celery.exceptions import SoftTimeLimitExceeded
from django.db import InterfaceError, OperationalError, connection
from django.db.models import QuerySet

from core.errors import ApiError

_Row = TypeVar("_Row")

logger = structlog.get_logger(__name__)

KEYS_AT_ONCE = 500


def sweep(name: str, act: Callable[[_Row], int], rows: Iterable[_Row]) -> int:
    """Apply `act` to each row; return the sum of what it returned, such as 1 or True.

    `act` is a transaction of its own, so a failure does not affect the other rows. A refusal means
    that another worker was faster. Any other failure is logged with its row, which the next run
    retries; only a lost database connection ends the sweep.
    """
    total = 0
    for row in rows:
        try:
            total += act(row)
        except ApiError:
            continue
        except SoftTimeLimitExceeded:  # the task ran out of time; not the row's fault
            raise
        except Exception as error:
            if _is_connection_lost(error):
                raise
            logger.exception("row_left_out", sweep=name, row=str(row))
    return total


def _is_connection_lost(error: Exception) -> bool:
    """Return whether no other row can do better. Outside a transaction Django does not notice."""
    if connection.connection is None:
        return True
    return isinstance(error, OperationalError | InterfaceError) and not connection.is_usable()


def keys_by_page(rows: QuerySet[Any]) -> Iterator[str]:
    """Yield the public ids of rows in order, a page at a time: no row keeps the next one waiting.

    Each page is read when its turn comes, without a cursor that stays open in between.
    """
    last = ""
    keys = rows.order_by("pk").values_list("pk", flat=True)
    while page := list(keys.filter(pk__gt=last)[:KEYS_AT_ONCE]):
        yield from page
        last = page[-1]
