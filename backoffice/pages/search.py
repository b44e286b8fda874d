"""The page of what the search box has found; one exact hit opens at once."""

from typing import cast

from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse

from backoffice.page_parts import Table
from backoffice.resource.resource import AdminResource
from backoffice.resource.tables import table_of
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
    payments = cast(AdminResource, site.get_model_admin(Payment))
    return [
        table_of(f"Payments: {hits.why}", hits.rows, payments.summary, Payment)
        for hits in found.payments
    ] + [
        table_of(title, rows, cast(AdminResource, site.get_model_admin(model)).summary, model)
        for title, model, rows in found.others
    ]
