"""The URLs of a resource's pages."""

from typing import Any
from urllib.parse import urlencode

from django.db.models import Model
from django.urls import reverse

from backoffice.resource.catalog import entry_of

LIST_FILTERS = "_changelist_filters"  # as Django names them


def address_of(model: type[Model], page: str, *arguments: Any) -> str:
    """Return the URL of a page of a resource, by the name of its route."""
    meta = model._meta
    return reverse(f"admin:{meta.app_label}_{meta.model_name}_{page}", args=arguments)


def page_of(row: Model) -> str:
    """Return the URL of the page about a row."""
    return address_of(type(row), "change", row.pk)


def page_of_id(public_id: str) -> str:
    """Return the URL of the page about a public id; empty if there is none."""
    entry = entry_of(public_id)
    return address_of(entry.model, "change", public_id) if entry else ""


def with_filters(url: str, filters: str) -> str:
    """Return a URL that remembers the filters of the list from which it is opened."""
    return f"{url}?{urlencode({LIST_FILTERS: filters})}" if filters else url


def list_of(model: type[Model], /, **filters: Any) -> str:
    """Return the URL of a list with these filters."""
    address = address_of(model, "changelist")
    return f"{address}?{urlencode(filters)}" if filters else address
