"""The columns of a list: the usual ones, or those that the address names."""

from typing import Any

from django.http import HttpRequest

from backoffice.resource.filters import Choices, Rows, SeveralFilter


class ColumnsFilter(SeveralFilter):
    """Which columns a list shows, each added or taken away; it changes no rows, and no export."""

    title = "columns"
    parameter_name = "columns"
    none_chosen = "The usual ones"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        self.shown = [column.__name__ for column in model_admin.get_list_display(request)]
        return [(name, column.title) for name, column in model_admin.columns().items()]

    def queryset(self, request: HttpRequest, queryset: Rows) -> Rows:
        return queryset

    @property
    def chosen(self) -> str:
        return str(len(self.shown)) if self.value() else ""

    @property
    def _values(self) -> list[str]:
        return self.shown
