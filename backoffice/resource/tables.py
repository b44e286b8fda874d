"""The rows of one resource on the page of another, from the fields that its own list shows."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Model

from backoffice import formats
from backoffice.page_parts import Table
from backoffice.resource.catalog import CATALOG
from backoffice.resource.page_urls import list_of, page_of
from backoffice.resource.shown import Amount, Field

SHOWN = 20


@dataclass(frozen=True, kw_only=True)
class Related:
    """A table of the newest rows of `model` whose field `by` is the page's row.

    `rows` replaces that query. `filter_name` links to the full list. `joins` are the relations read
    with the rows. The table takes the right to `model`; None: its rows have no page.
    """

    title: str
    fields: Sequence[Field]
    model: type[Model] | None = None
    by: str = ""
    joins: Sequence[str] = ()
    rows: Callable[[Any], Any] | None = None
    filter_name: str = ""
    shown: int = SHOWN

    def table(self, row: Any) -> Table:
        """Return them for the page of a row, each with a link to its own."""
        found = list((self.rows or self._by)(row)[: self.shown])
        return Table(
            self.title,
            [_aligned(field, field.title) for field in self.fields],
            [self._cells(other) for other in found],
            more=self._whole_list(row),
            right=CATALOG[self.model].right if self.model else None,
        )

    def _by(self, row: Any) -> Any:
        rows = self.model._default_manager.filter(**{self.by: row})  # type: ignore[union-attr]  # of a resource
        return rows.select_related(*self.joins).order_by("-pk")

    def _whole_list(self, row: Any) -> str:
        if self.model is None or not self.filter_name:
            return ""
        mode = getattr(row, "livemode", None)
        modes = {None: "both", True: "live", False: "test"}
        return list_of(self.model, **{self.filter_name: row.pk, "mode": modes[mode]})

    def _cells(self, other: Any) -> list[Any]:
        cells = [_aligned(field, field.cell(other)) for field in self.fields]
        return [formats.link(cells[0], page_of(other)), *cells[1:]] if self.model else cells


def _aligned(field: Field, cell: Any) -> Any:
    """Return a heading or a cell, at the right where it is of amounts."""
    return formats.amount(cell) if isinstance(field, Amount) else cell


def table_of(title: str, rows: Iterable[Any], fields: Sequence[Field], model: type[Model]) -> Table:
    """Return rows that were found already as a table."""
    return Related(title=title, rows=lambda _: list(rows), fields=fields, model=model).table(None)
