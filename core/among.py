"""Test whether a column has one of many values, with one parameter however many there are."""

import json
from typing import Any

from django.db.models.lookups import Lookup

Compiled = tuple[str, list[Any]]


class Among(Lookup):
    """A filter, `Among(F("id"), keys)`: whether the column has one of these strings or integers.

    `in` takes one parameter per value, and is slower to prepare than to execute.
    """

    prepare_rhs = False

    def as_postgresql(self, compiler: Any, connection: Any) -> Compiled:
        column, params = self.process_lhs(compiler, connection)
        return f"{column} = ANY(%s)", [*params, list(self.rhs)]

    def as_sqlite(self, compiler: Any, connection: Any) -> Compiled:
        column, params = self.process_lhs(compiler, connection)
        values = json.dumps(list(self.rhs))
        return f"{column} IN (SELECT value FROM json_each(%s))", [*params, values]  # noqa: S608  # our own names
