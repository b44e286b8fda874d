"""Lists of the API whose first page is prepared: one statement per combination of filters."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.db.models import QuerySet

from core.pagination import in_order
from core.prepared import (
    Prepared,
    Shape,
    can_be_prepared,
    place_of_instant,
    places_of,
    shape_of,
)
from core.queries import Lookups
from merchants.scoping import CallerKind, Scope

# Filters combine to more statements than callers send.
KEPT_STATEMENTS = 256

Select = Callable[[Scope, Lookups, Any], QuerySet[Any]]


@dataclass(frozen=True)
class CallerList:
    """The rows of a caller that match the look-ups, as `select` finds them at an instant."""

    select: Select
    caller: Scope
    lookups: Lookups
    now: datetime

    def queryset(self) -> QuerySet[Any]:
        return self.select(self.caller, self.lookups, self.now)

    def first_page(self, limit: int) -> list[Any]:
        """Return the newest rows, by a prepared statement where the look-ups allow it."""
        if not can_be_prepared(self.lookups):
            return list(in_order(self.queryset())[:limit])
        prepared = _prepared(self.select, CallerKind.of(self.caller), shape_of(self.lookups))
        given = {"limit": limit, "merchant_id": self.caller.merchant_id, "now": self.now}
        return prepared.rows(**given, **self.lookups)


@lru_cache(maxsize=KEPT_STATEMENTS)
def _prepared(select: Select, caller: CallerKind, shape: Shape) -> Prepared[Any]:
    rows = select(caller, places_of(shape), place_of_instant("now"))
    return Prepared(in_order(rows), is_page=True)
