"""The results page of the search box; a single exact hit opens at once."""

from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse

from backoffice.resource.resource import summary_table
from backoffice.roles import Right
from backoffice.search_lookups import hidden_from
from backoffice.search_query import missing_day
from backoffice.search_results import search
from backoffice.staff import staff_of
from core.clock import request_now
from payments.numbers import CHARACTERS, characters_of, id_prefix_of


def search_page(site: AdminSite, request: HttpRequest) -> HttpResponse:
    """Show the results, newest first."""
    text = request.GET.get("q", "").strip()
    staff = staff_of(request)
    context = {**site.each_context(request), "title": "Search", "query": text}
    context["sees_payouts"] = staff.may(Right.VIEW_PAYOUTS)
    context["sees_keys"] = staff.may(Right.VIEW_KEYS)
    if text:
        found = search(text=text, staff=staff, now=request_now())
        if found.exact:
            return HttpResponseRedirect(found.exact)
        context["tables"] = [
            summary_table(site, table.title, table.model, table.rows) for table in found.tables
        ]
        context["is_withheld"] = found.is_withheld
        context["hidden"] = hidden_from(staff, text)
        context["missing_day"] = missing_day(text)
        context["is_number"] = bool(id_prefix_of(text))
        context["characters"] = characters_of(text)
        context["characters_of_number"] = CHARACTERS
    else:
        context["focus_search"] = True
    return TemplateResponse(request, "admin/backoffice/search.html", context)
