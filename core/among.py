"""Test whether a column has one of many values, with one parameter however many there are."""

import json
from collections.abc import Callable
from typing import Any

from django.db.models.lookups import Lookup

from core.prepared import Placeholder

Compiled = tuple[str, list[Any]]


class Among(Lookup):
    """A filter, `Among(F("id"), keys)`: whether the column has one of these strings or integers.

    `in` takes one parameter per value, and is slower to prepare than to execute. In a prepared
    statement `keys` may be a placeholder for a list.
    """

    prepare_rhs = False

    def as_postgresql(self, compiler: Any, connection: Any) -> Compiled:
        column, params = self.process_lhs(compiler, connection)
        return f"{column} = ANY(%s)", [*params, self._sent(list)]

    def as_sqlite(self, compiler: Any, connection: Any) -> Compiled:
        column, params = self.process_lhs(compiler, connection)
        values = self._sent(lambda those: json.dumps(list(those)))
        return f"{column} IN (SELECT value FROM json_each(%s))", [*params, values]  # noqa: S608  # our own names

    def _sent(self, form: Callable[[Any], Any]) -> Any:
        return self.rhs if isinstance(self.rhs, Placeholder) else form(self.rhs)
