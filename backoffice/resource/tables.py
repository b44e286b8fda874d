"""The rows of one resource on the page of another, from the fields that its own list shows."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Model

from backoffice import formats
from backoffice.page_parts import Table
from backoffice.resource.catalog import CATALOG
from backoffice.resource.display_fields import Field
from backoffice.resource.page_urls import list_of, page_of

SHOWN = 20


@dataclass(frozen=True, kw_only=True)
class Related:
    """`rows` finds them, newest first. `more` are the filters of the whole list.

    `model` is the resource that they are of, whose right they take; None: they have no page.
    """

    title: str
    rows: Callable[[Any], Any]
    fields: Sequence[Field]
    model: type[Model] | None = None
    more: Callable[[Any], dict[str, Any]] | None = None
    shown: int = SHOWN

    def table(self, row: Any) -> Table:
        """Return them for the page of a row, each with a link to its own."""
        found = list(self.rows(row)[: self.shown])
        return Table(
            self.title,
            [field.title for field in self.fields],
            [self._cells(other) for other in found],
            more=list_of(self.model, **self.more(row)) if self.model and self.more else "",
            right=CATALOG[self.model].right if self.model else None,
        )

    def _cells(self, other: Any) -> list[Any]:
        cells = [field.cell(other) for field in self.fields]
        return [formats.link(cells[0], page_of(other)), *cells[1:]] if self.model else cells


def table_of(title: str, rows: Iterable[Any], fields: Sequence[Field], model: type[Model]) -> Table:
    """Return rows that were found already as a table."""
    return Related(title=title, rows=lambda _: list(rows), fields=fields, model=model).table(None)
