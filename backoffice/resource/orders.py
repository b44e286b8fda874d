"""The orders of lists: those that an index serves."""

from django.http import HttpRequest

from backoffice.resource.filters import Choices, OfficeFilter, Rows


class SortFilter(OfficeFilter):
    """The order of a list, among those that an index serves; the newest first where none is."""

    title = "order"
    parameter_name = "sort"

    def queryset(self, request: HttpRequest, queryset: Rows) -> Rows:
        return queryset  # the list asks `ordering_of` for it, after all filters


ORDERS = {"oldest": ("pk",), "smallest": ("amount", "pk"), "largest": ("-amount", "-pk")}
OLDEST = (("oldest", "oldest first"),)
BY_AMOUNT = (*OLDEST, ("largest", "largest amount first"), ("smallest", "smallest amount first"))


def sort_filter(options: Choices = OLDEST) -> type[OfficeFilter]:
    """Return the choice of an order for a list."""
    return type("SortFilter", (SortFilter,), {"options": tuple(options)})
