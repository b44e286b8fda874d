"""The page of what the search box has found; one exact hit opens at once."""

from typing import TYPE_CHECKING

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse

from backoffice import formats
from backoffice.page_parts import Table
from backoffice.search_results import Hits, find
from backoffice.staff import staff_of
from core.clock import request_now
from payments.models import Payment

if TYPE_CHECKING:
    from backoffice.site import BackOffice


def search_page(site: "BackOffice", request: HttpRequest) -> HttpResponse:
    """Show what was found, newest first."""
    text = request.GET.get("q", "").strip()
    context = {**site.each_context(request), "title": "Search", "query": text}
    if text:
        found = find(text=text, staff=staff_of(request), now=request_now())
        if found.exact:
            return HttpResponseRedirect(found.exact)
        context |= {"found": found, "tables": [_table(hits) for hits in found.payments]}
    else:
        context["focus_search"] = True
    return TemplateResponse(request, "admin/backoffice/search.html", context)


def _table(hits: Hits) -> Table:
    return Table(
        f"Payments: {hits.why}",
        ("Created", "Amount", "Status", "Merchant", "Customer", "Payment", "Mode"),
        [_cells(payment) for payment in hits.rows],
    )


def _cells(payment: Payment) -> tuple[object, ...]:
    url = reverse("admin:payments_payment_change", args=[payment.pk])
    return (
        formats.link(formats.moment(payment.created_at), url),
        formats.money(payment.amount, payment.currency),
        formats.badge(payment.status_at(request_now())),
        payment.merchant.name,
        payment.customer.masked_phone if payment.customer else "—",
        formats.link(formats.code(payment.pk), url),
        formats.mode(payment.livemode),
    )
