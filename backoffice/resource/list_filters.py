"""Filters that are more than one field: merchants by name, the sort order, the columns."""

from collections.abc import Sequence
from typing import Any

from django.contrib.admin import ModelAdmin
from django.db.models import F, Q
from django.http import HttpRequest
from django.utils.text import slugify

from backoffice.resource.filters import Choices, OfficeFilter, Rows, SeveralFilter
from merchants.models import Merchant

MERCHANTS_SHOWN = 10


class MerchantFilter(OfficeFilter):
    """One merchant by id, or those whose name contains, or slug starts with, what staff type."""

    title = "merchant"
    parameter_name = "merchant"
    field_name = "merchant_id"
    takes_text = True

    def lookups(self, request: HttpRequest, model_admin: "ModelAdmin[Any]") -> Choices:
        found = merchants_named(request.GET.get("merchant", ""))
        self.is_cut = len(found) > MERCHANTS_SHOWN
        return [(merchant.pk, merchant.name) for merchant in found[:MERCHANTS_SHOWN]]

    @property
    def chosen(self) -> str:
        cut = f", the first {MERCHANTS_SHOWN} of more" if self.is_cut else ""
        return f"{super().chosen}{cut}"

    def taken(self, asked: str) -> str:
        return asked

    def has_output(self) -> bool:
        """Show the filter always: a name can be typed."""
        return True

    def narrowed(self, rows: Rows, value: str) -> Rows:
        if value.startswith("mer_"):
            return super().narrowed(rows, value)
        return rows.filter(**{f"{self.field_name}__in": [pk for pk, _ in self.lookup_choices]})


def merchants_named(text: str) -> list[Merchant]:
    """Return the merchant with this id, or up to eleven with this in their name or slug.

    A merchant that was renamed has the slug of its first name: "Conch Shack" is its "conch-shack".
    Ten are shown; an eleventh means that there are more.
    """
    if not text:
        return []
    named = Q(name__icontains=text) | Q(slug__istartswith=slugify(text) or text)
    if text.startswith("mer_"):
        named = Q(pk=text)  # alone, as most lists ask by id: no index finds a part of a name
    return list(Merchant.objects.filter(named).order_by("name", "pk")[: MERCHANTS_SHOWN + 1])


class SortFilter(OfficeFilter):
    """The order of a list, among those that an index serves. The default is newest first."""

    title = "order"
    parameter_name = "sort"
    options = (
        ("oldest", "oldest first"),
        ("largest", "largest amount first"),
        ("smallest", "smallest amount first"),
    )

    def narrowed(self, rows: Rows, value: str) -> Rows:
        return rows  # the list's `get_ordering` reads it, after all filters


ORDERS = {"oldest": ("pk",), "smallest": ("amount", "pk"), "largest": ("-amount", "-pk")}
# A merchant's amounts have another index, which sorts equal amounts by creation.
ORDERS_OF_MERCHANT = ORDERS | {
    "smallest": ("amount", "-created_at", "-pk"),
    "largest": ("-amount", "created_at", "pk"),
}
# The other filters' amounts have none. A computed value keeps PostgreSQL from walking the amounts
# of all payments in order.
_AMOUNT = F("amount") + 0
ORDERS_OF_OTHERS: dict[str, Sequence[Any]] = ORDERS | {
    "smallest": (_AMOUNT.asc(), "pk"),
    "largest": (_AMOUNT.desc(), "-pk"),
}


class ColumnsFilter(SeveralFilter):
    """The columns of a list, each of which can be switched. Rows and exports stay the same."""

    title = "columns"
    parameter_name = "columns"
    none_chosen = "The usual ones"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        self.shown = [column.name for column in model_admin.get_list_display(request)]
        return [(name, column.title) for name, column in model_admin.columns().items()]

    def narrowed(self, rows: Rows, value: str) -> Rows:
        return rows

    @property
    def chosen(self) -> str:
        return str(len(self.shown)) if self.value() else ""

    @property
    def _values(self) -> list[str]:
        return self.shown
