"""How periodic tasks go through what is due: row by row, and none holds up the others."""

from collections.abc import Callable, Iterable
from typing import TypeVar

import structlog
from django.db import connection

from core.errors import ApiError

_Row = TypeVar("_Row")

logger = structlog.get_logger(__name__)


def sweep(name: str, act: Callable[[_Row], int], rows: Iterable[_Row]) -> int:
    """Do one thing to each row, and return the sum of what that returned, such as 1 or True.

    `act` is a transaction of its own, so that what fails leaves the other rows as they are. A
    refusal says that another worker was here first. Anything else is logged as an error with the
    row, which the next turn tries again; only where the database is gone does the sweep end.
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
