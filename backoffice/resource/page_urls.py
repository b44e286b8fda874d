"""The URLs of a resource's pages, and which of them the reader of a page may open."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from urllib.parse import urlencode

from django.db.models import Model
from django.http import HttpRequest
from django.urls import reverse

from backoffice.resource.catalog import CATALOG, entry_of
from backoffice.staff import staff_of

LIST_FILTERS = "_changelist_filters"  # as Django names them
_request: ContextVar[HttpRequest | None] = ContextVar("request_of_reader", default=None)


def address_of(
    model: type[Model], page: str, *arguments: Any, query: dict[str, Any] | None = None
) -> str:
    """Return the URL of a page of a resource, by the name of its route."""
    route = f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}"
    return reverse(route, args=arguments, query=query)


def page_of(row: Model) -> str:
    """Return the URL of the page about a row."""
    return address_of(type(row), "change", row.pk)


@contextmanager
def links_for(request: HttpRequest) -> Iterator[None]:
    """Have `page_to_open` return only what the sender of a request may open."""
    token = _request.set(request)
    try:
        yield
    finally:
        _request.reset(token)


def page_to_open(target: Model | str) -> str:
    """Return the URL of the page about a row or public id; empty if the reader may not open it."""
    if isinstance(target, str):
        entry, pk = entry_of(target), target
    else:
        entry, pk = CATALOG[type(target)], target.pk
    request = _request.get()
    if entry is None or (request is not None and not entry.is_open_to(staff_of(request), pk)):
        return ""
    return address_of(entry.model, "change", pk)


def with_filters(url: str, filters: str) -> str:
    """Return a URL that remembers the filters of the list from which it is opened."""
    return f"{url}?{urlencode({LIST_FILTERS: filters})}" if filters else url


def list_of(model: type[Model], /, **filters: Any) -> str:
    """Return the URL of a list with these filters."""
    return address_of(model, "changelist", query=filters)
