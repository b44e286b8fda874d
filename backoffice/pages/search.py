"""The page of what the search box has found; one exact hit opens at once."""

from typing import Any

from django.contrib.admin import AdminSite
from django.db.models import Model
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse

from backoffice.page_parts import Table
from backoffice.resource.resource import summary_table
from backoffice.search_results import SearchResults, search
from backoffice.staff import staff_of
from core.clock import request_now
from payments.models import Payment


def search_page(site: AdminSite, request: HttpRequest) -> HttpResponse:
    """Show what was found, newest first."""
    text = request.GET.get("q", "").strip()
    context = {**site.each_context(request), "title": "Search", "query": text}
    if text:
        found = search(text=text, staff=staff_of(request), now=request_now())
        if found.exact:
            return HttpResponseRedirect(found.exact)
        context |= {"found": found, "tables": _tables(site, found)}
    else:
        context["focus_search"] = True
    return TemplateResponse(request, "admin/backoffice/search.html", context)


def _tables(site: AdminSite, found: SearchResults) -> list[Table]:
    tables: list[tuple[str, type[Model], list[Any]]] = [
        (f"Payments: {hits.why}", Payment, hits.rows) for hits in found.payments
    ]
    tables += found.others
    return [summary_table(site, title, rows, model) for title, model, rows in tables]
