"""What a resource declares: its list and page, its rows on other pages, its actions, who sees it.

The pages depend on this class only; `backoffice.admin.office` combines the two.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar

from django.contrib.admin import AdminSite, ShowFacets
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from unfold.admin import ModelAdmin as UnfoldAdmin

from backoffice import formats
from backoffice.actions import Action
from backoffice.page_parts import Section, SupportAnswer, Table, TimelineEntry
from backoffice.resource.catalog import CATALOG, CatalogEntry
from backoffice.resource.filters import ModeFilter, OfficeFilter, mode_of
from backoffice.resource.list_filters import ColumnsFilter
from backoffice.resource.page_urls import list_of, page_of
from backoffice.resource.paginator import NEWEST_FIRST, CappedPaginator
from backoffice.resource.shown import Amount, Field, Fieldset, with_currency_above
from backoffice.resource.usual_fields import MODE
from backoffice.roles import Right
from backoffice.sheets import Worksheet
from backoffice.staff import staff_of

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


class AdminResource(UnfoldAdmin):  # type: ignore[misc]  # unfold has no types
    """A resource. Django's forms add, edit and delete nothing: actions are the only way.

    `heading_format` is the heading of a page, from its `{row}` and the first `{amount}` of the
    list. A page shows the fields of the list, then `details`; a detail replaces the list's field of
    the same title. `page` defines explicit fieldsets instead. Never include secrets or hashes.
    `related` are the tables on the page, where `hides_empty` leaves out empty ones; an empty list
    says by `when_empty` what comes there. `summary` are the fields for such tables on other pages
    and for search results, if the list has too many; `export_fields` those of an export, if it has
    more than the list. `summed` is the amount whose total is shown below the list, `requested_as`
    the field by which requests name a row. `indexed` are the names of filters whose rows an index
    has in the order of their creation. What these cannot say, a resource adds by methods.
    """

    heading_format: ClassVar[str] = ""
    details: ClassVar[Sequence[Field]] = ()
    page: ClassVar[Sequence[Fieldset]] = ()
    related: ClassVar[Sequence[Related]] = ()
    hides_empty: ClassVar[bool] = False
    when_empty: ClassVar[str] = ""
    summary: ClassVar[Sequence[Field]] = ()
    row_actions: ClassVar[Sequence[Action]] = ()
    list_actions: ClassVar[Sequence[Action]] = ()
    asks: ClassVar[str] = ""
    summed: ClassVar[str] = ""
    exported: ClassVar[bool] = True
    file_route: ClassVar[str] = ""
    file_right: ClassVar[Right] = Right.EXPORT
    export_fields: ClassVar[Sequence[Field]] = ()
    audited: ClassVar[bool] = True
    requested_as: ClassVar[str] = "pk"
    indexed: ClassVar[frozenset[str]] = frozenset()

    actions = None
    ordering = (NEWEST_FIRST,)
    sortable_by = ()
    list_per_page = 50
    show_full_result_count = False
    show_facets = ShowFacets.NEVER
    paginator = CappedPaginator
    list_fullwidth = True
    change_list_template = "admin/backoffice/change_list.html"

    @property
    def entry(self) -> CatalogEntry:
        return CATALOG[self.model]

    def columns(self) -> dict[str, Field]:
        """Return all columns that a list can show, by name: the usual ones, and an export's."""
        usual = {field.name: field for field in self.list_display}
        sources = [field.source for field in self.list_display]
        more = [field for field in self.export_fields if field.source not in sources]
        return usual | {field.name: field for field in more if field.name not in usual}

    def get_list_display(self, request: HttpRequest) -> Sequence[Field]:
        """Return the columns named in the URL, in their usual order, or else the usual ones."""
        names = request.GET.get(str(ColumnsFilter.parameter_name), "").split(",")
        named = [field for name, field in self.columns().items() if name in names]
        return named or self.usual_columns(request)

    def usual_columns(self, request: HttpRequest) -> Sequence[Field]:
        """Return the default columns. The mode is left out unless both modes are listed."""
        usual: Sequence[Field] = self.list_display
        has_one_mode = any(item.parameter_name == "mode" for item in self.filters()) and (
            mode_of(request.GET.get("mode", "")) != "both"
        )
        return [field for field in usual if field is not MODE or not has_one_mode]

    def get_paginator(
        self, request: HttpRequest, queryset: Any, per_page: int, *others: Any
    ) -> CappedPaginator:
        """Return the pages of a list; one of the `indexed` filters has them read by its index.

        That sorts by creation, and the list by id, which is the same: ids begin with that time.
        """
        parts = () if self.indexed.isdisjoint(request.GET) else self.parts(request)
        is_newest_first = self.get_ordering(request) == (NEWEST_FIRST,)
        order = ("-created_at", NEWEST_FIRST) if parts and is_newest_first else ()
        return CappedPaginator(queryset, per_page, *others, order=order, parts=parts or ({},))

    def parts(self, request: HttpRequest) -> Sequence[Mapping[str, Any]]:
        """Return the look-ups of both modes if both are listed: the indexes sort by mode first.

        Another resource may return none: what is asked for has no index after all.
        """
        is_of_both = mode_of(request.GET.get("mode", "")) == "both"
        if is_of_both and ModeFilter in self.filters():
            return ({"livemode": True}, {"livemode": False})
        return ({},)

    def get_list_filter(self, request: HttpRequest) -> Sequence[type[OfficeFilter]]:
        return self.filters()

    def filters(self) -> Sequence[type[OfficeFilter]]:
        return [*self.list_filter, ColumnsFilter]

    # What a page about one object says; each resource fills in what it has.

    def heading(self, row: Any) -> str:
        """Return the name of an object, as a person would say it."""
        if not self.heading_format:
            return f"{self.entry.counted_as[0].capitalize()} {row}"
        if "{amount}" not in self.heading_format:
            return self.heading_format.format(row=row)
        amount = next(field for field in self.list_display if isinstance(field, Amount))
        return self.heading_format.format(row=row, amount=amount.cell(row))

    def answer(self, row: Any, now: datetime) -> SupportAnswer | None:
        """Return what to tell the caller."""
        return None

    def sections(self, row: Any) -> list[Section]:
        """Return the facts about an object."""
        return [fieldset.section(row) for fieldset in self.page or [self._whole()]]

    def tables(self, row: Any) -> list[Table]:
        """Return tables of the rows that belong to an object, each of limited length."""
        of = self.admin_site.get_model_admin
        return [each.table(row, of(each.model) if each.model else None) for each in self.related]

    def summary_beside(self, by: str, row: Any) -> list[Field]:
        """Return the fields for a table on the page of the row that the field `by` refers to.

        Facts that the page itself states for all of them, its merchant and its mode, are left out.
        """
        return [
            field
            for field in self.summary or self.list_display
            if not (field is MODE and getattr(row, "livemode", None) is not None)
            and not (
                (to := getattr(field, "to", "")) and (to == by or getattr(row, f"{to}_id", ""))
            )
        ]

    def timeline(self, row: Any) -> list[TimelineEntry]:
        """Return what happened to an object, newest first."""
        return []

    def asked(self, row: Any, text: str) -> list[Table]:
        """Return the answer to a question typed on the page; `asks` is its label."""
        return []

    def files(self, row: Any) -> list[tuple[str, str]]:
        """Return the name and URL of each file of an object, which require `file_right`."""
        return []

    def is_changing(self, row: Any) -> bool:
        """Return whether the page should reload by itself, because its object is changing."""
        return False

    def sheet(self, rows: Iterable[Any]) -> Worksheet:
        """Return rows as exported, with the currency once, after the first amount."""
        fields = self.export_fields or self.list_display
        first = next((each for each in fields if isinstance(each, Amount)), None)
        columns: list[Field] = []
        for field in fields:
            columns.append(field)
            if first is not None and field is first:
                columns.append(Field("Currency", first.currency_of))
        return Worksheet(
            self.entry.title,
            [title for field in columns for title in field.titles()],
            ([cell for field in columns for cell in field.exported(row)] for row in rows),
        )

    def _whole(self) -> Fieldset:
        """Return the fields of the list and the details as one fieldset."""
        by_title = {field.title: field for field in (*self.list_display, *self.details)}
        return Fieldset(self.entry.counted_as[0].capitalize(), *by_title.values())

    # Who may see it.

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return staff_of(request).may(self.entry.right)

    def get_queryset(self, request: HttpRequest) -> Any:
        return self.entry.rows_seen(super().get_queryset(request), staff_of(request))

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    has_change_permission = has_delete_permission = has_add_permission

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Allow the filters of this list, and no look-up on any other field."""
        known = {item.parameter_name for item in self.filters()}
        return lookup in known or lookup.removesuffix("_from").removesuffix("_to") in known


def summary_table(site: AdminSite, title: str, model: type[Model], rows: Iterable[Any]) -> Table:
    """Return rows of a resource as a table of its `summary` fields."""
    found = list(rows)
    table = Related(model, title=title, rows=lambda _: found, shown=len(found))
    return table.table(None, site.get_model_admin(model))
