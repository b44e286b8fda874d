"""The merchant of a list, picked by name."""

from typing import Any

from django.contrib.admin import ModelAdmin
from django.db.models import Q
from django.http import HttpRequest

from backoffice.resource.filters import Choices, OfficeFilter, Rows
from merchants.models import Merchant

MERCHANTS_SHOWN = 10


class MerchantFilter(OfficeFilter):
    """One merchant, by its id; or those whose name or slug begins so, as staff type it."""

    title = "merchant"
    parameter_name = "merchant"
    field_name = "merchant_id"
    takes_text = True

    def lookups(self, request: HttpRequest, model_admin: "ModelAdmin[Any]") -> Choices:
        found = merchants_named(request.GET.get("merchant", ""))
        return [(merchant.pk, merchant.name) for merchant in found]

    def has_output(self) -> bool:
        """Stand above the list, and narrow it, where no merchant has such a name, too."""
        return True

    def queryset(self, request: HttpRequest, queryset: Rows) -> Rows:
        value = str(self.value() or "")
        if not value:
            return queryset
        if value.startswith("mer_"):
            return queryset.filter(**{self.field_name: value})
        return queryset.filter(**{f"{self.field_name}__in": [pk for pk, _ in self.lookup_choices]})


def merchants_named(text: str) -> list[Merchant]:
    """Return the merchant of an id, or those with this in their name or slug; ten at most."""
    if not text:
        return []
    named = Q(pk=text) | Q(name__icontains=text) | Q(slug__istartswith=text)
    return list(Merchant.objects.filter(named).order_by("name", "pk")[:MERCHANTS_SHOWN])
