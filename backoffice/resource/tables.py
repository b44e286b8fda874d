"""Rows of one resource on the page of another, with the fields that its own list declares."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Model, QuerySet

from backoffice import formats
from backoffice.page_parts import Table
from backoffice.resource.page_urls import list_of, page_of
from backoffice.resource.shown import Field, with_currency_above

SHOWN = 20


@dataclass(frozen=True)
class Related:
    """A table of the newest rows of `model` whose field `by` refers to the page's row.

    It shows the `summary` of their resource, or `fields`, and links to their list if that has the
    filter `by`, or `filter_name`. `rows` returns other rows: a query, read in `order` like those of
    any table, or a list. The table requires the right to see `model`; with None, its rows have no
    pages.
    """

    model: type[Model] | None
    by: str = ""
    title: str = ""
    fields: Sequence[Field] = ()
    rows: Callable[[Any], Any] | None = None
    filter_name: str = ""
    shown: int = SHOWN
    order: Sequence[str] = ("-pk",)

    def table(self, row: Any, resource: Any) -> Table:
        """Return the table for the page of `row`; each of its rows links to its own page.

        `resource` is that of the rows.
        """
        found = list(self._rows(row, resource)[: self.shown])
        fields = with_currency_above(self.fields or resource.summary_beside(self.by, row), found)
        return Table(
            self.title or resource.entry.title,
            [_heading(field) for field in fields],
            [self._cells(other, fields) for other in found],
            more=self._whole_list(row, resource) if self.model else "",
            right=resource.entry.right if self.model else None,
        )

    def _rows(self, row: Any, resource: Any) -> Any:
        """Return the rows before they are cut: a query with what their fields read, or a list."""
        if self.rows:
            rows = self.rows(row)
        else:
            rows = resource.model._default_manager.filter(**{self.by: row.pk})
        if not isinstance(rows, QuerySet):
            return rows
        if self.model and resource.list_select_related:
            rows = rows.select_related(*resource.list_select_related)
        return rows.order_by(*self.order)

    def _whole_list(self, row: Any, resource: Any) -> str:
        known = {item.parameter_name for item in resource.filters()}
        name = self.filter_name or self.by
        if name not in known:
            return ""
        modes = {None: "both", True: "live", False: "test"}
        mode = {"mode": modes[getattr(row, "livemode", None)]} if "mode" in known else {}
        return list_of(resource.model, **{name: row.pk}, **mode)

    def _cells(self, other: Any, fields: Sequence[Field]) -> list[Any]:
        cells = [field(other) for field in fields]
        return [formats.link(cells[0], page_of(other)), *cells[1:]] if self.model else cells


def _heading(field: Field) -> Any:
    """Return the heading of a column, right-aligned for figures."""
    words = field.short_description
    return formats.amount(words) if field.is_figure else words
