"""How periodic tasks work through what is due: row by row, and no row holds up the others."""

from collections.abc import Callable, Iterable
from typing import TypeVar

import structlog
from django.db import connection

from core.errors import ApiError

_Row = TypeVar("_Row")

logger = structlog.get_logger(__name__)


def sweep(name: str, act: Callable[[_Row], int], rows: Iterable[_Row]) -> int:
    """Apply `act` to each row; return the sum of what it returned, such as 1 or True.

    `act` is a transaction of its own, so that a failure leaves the other rows as they are. A
    refusal means that another worker was here first. Any other failure is logged with its row,
    which the next run retries; only a lost database ends the sweep.
    """
    total = 0
    for row in rows:
        try:
            total += act(row)
        except ApiError:
            continue
        except Exception:
            if connection.connection is None:
                raise
            logger.exception("row_left_out", sweep=name, row=str(row))
    return total
