"""The file of a payout run for the bank: the one place where account numbers leave."""

from django.http import Http404, HttpRequest, HttpResponse

from backoffice.services.payouts import note_download
from backoffice.staff import staff_of
from core.clock import request_now
from payouts.batches import note_file, orders_of
from payouts.csv_file import csv_file
from payouts.models import PayoutBatch
from payouts.pain001 import pain001


def bank_file_page(request: HttpRequest, batch: PayoutBatch, form: str) -> HttpResponse:
    """Answer with the file, and record the download.

    Raises Forbidden, Http404, DebtorUnknown, PayoutFileChanged.
    """
    if form not in ("csv", "xml"):
        raise Http404
    note_download(staff=staff_of(request), batch=batch, form=form, now=request_now())
    orders = orders_of(batch)
    if form == "csv":
        response = HttpResponse(csv_file(orders), content_type="text/csv; charset=utf-8")
    else:
        content = pain001(batch, orders)
        note_file(batch, content)
        response = HttpResponse(content, content_type="application/xml")
    response["Content-Disposition"] = f'attachment; filename="{batch.pk}.{form}"'
    return response
