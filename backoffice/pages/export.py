"""Export a list: the rows that its filters leave, with more fields than on the screen.

A short export is sent at once, in the order of the list. A long one is prepared in the background,
sorted by age.
"""

from collections.abc import Iterator
from io import BytesIO
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
    QueryDict,
    StreamingHttpResponse,
)
from django.utils import timezone

from backoffice.audit import AuditAction, append_forbidden, audited
from backoffice.models import ExportForm, ExportRun
from backoffice.resource.days import with_fixed_days
from backoffice.resource.page_urls import page_of
from backoffice.resource.resource import AdminResource
from backoffice.roles import Right
from backoffice.services.exports import note_download, start_export
from backoffice.services.payouts import note_bank_file
from backoffice.sheets import Worksheet, write_sheet
from backoffice.staff import staff_of
from core.clock import request_now
from payouts.batches import note_file, orders_of
from payouts.csv_file import csv_file
from payouts.models import PayoutBatch
from payouts.pain001 import pain001

CHUNK = 2_000
TYPES = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pdf": "application/pdf",
    "xml": "application/xml",
}


def export_page(resource: AdminResource, request: HttpRequest, form: str) -> HttpResponseBase:
    """Respond with the file, or with the page of its preparation, and record the export.

    Raises PermissionDenied, Http404, and Forbidden if the role has been revoked in the meantime.
    """
    staff, instant = staff_of(request), request_now()
    action = AuditAction(
        act="export",
        right=Right.EXPORT,
        subject_type=str(resource.model._meta.model_name),
        subject_id="",
        reason=f"{form}: {request.GET.urlencode()}"[:500],
    )
    if not (resource.has_view_permission(request) and staff.may(Right.EXPORT)):
        append_forbidden(staff=staff, action=action, now=instant)
        raise PermissionDenied
    if not resource.exported or form not in ("csv", "xlsx"):
        raise Http404
    changelist = resource.get_changelist_instance(request)
    is_long = changelist.paginator.has_more
    content = b"" if is_long else _content(resource.sheet(changelist.queryset), form)
    with audited(staff=staff, action=action, now=instant):
        pass  # making the file may have taken long: this reads the roles again
    local = timezone.localtime(instant)
    name = f"{resource.entry.counted_as[1]} {local:%Y-%m-%d %H.%M}.{form}"
    if not is_long:
        return file_response(name, content)
    run = start_export(
        staff=staff,
        resource=resource.model._meta.label_lower,
        query=with_fixed_days(request.GET, local.date()).urlencode(),
        form=ExportForm(form),
        name=name,
        now=instant,
    )
    return HttpResponseRedirect(page_of(run))


def sheet_of_list(resource: AdminResource, run: ExportRun) -> Worksheet:
    """Return all rows of the list that an export is made of, as its requester may see them."""
    request = HttpRequest()
    request.method, request.user, request.GET = "GET", run.asked_by, QueryDict(run.query)
    return resource.sheet(_all(resource.get_changelist_instance(request).queryset))


def export_file_page(request: HttpRequest, run: ExportRun) -> HttpResponseBase:
    """Respond with the file of an export, part by part.

    Raises Http404 until it is ready, and as `note_download`.
    """
    if run.state != "ready":
        raise Http404
    note_download(staff=staff_of(request), run=run, now=request_now())
    parts = run.parts.order_by("number").values_list("content", flat=True)
    return file_response(run.name, (bytes(part) for part in parts.iterator(chunk_size=4)))


def file_response(name: str, content: bytes | Iterator[bytes]) -> HttpResponseBase:
    """Return a response that a browser saves under this name."""
    kind = TYPES[name.rpartition(".")[2]]
    response: HttpResponseBase
    if isinstance(content, bytes):
        response = HttpResponse(content, content_type=kind)
    else:
        response = StreamingHttpResponse(content, content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _content(sheet: Worksheet, form: str) -> bytes:
    buffer = BytesIO()
    write_sheet(sheet, form, buffer)
    return buffer.getvalue()


def _all(rows: QuerySet[Any]) -> Iterator[Any]:
    """Yield all rows in batches read by an index, so that no statement takes long.

    They start with the oldest if the list does, and otherwise with the newest: an order by amount
    cannot be continued by id.
    """
    order, after = ("pk", "pk__gt") if rows.query.order_by[:1] == ("pk",) else ("-pk", "pk__lt")
    ordered = rest = rows.order_by(order)
    while batch := list(rest[:CHUNK]):
        yield from batch
        rest = ordered.filter(**{after: batch[-1].pk})


def bank_file_page(request: HttpRequest, batch: PayoutBatch, form: str) -> HttpResponseBase:
    """Respond with the file, and record the download.

    Raises Forbidden, Http404, DebtorUnknown, PayoutFileChanged.
    """
    if form not in ("csv", "xml"):
        raise Http404
    note_bank_file(staff=staff_of(request), batch=batch, form=form, now=request_now())
    orders = orders_of(batch)
    if form == "csv":
        content = csv_file(orders).encode()
    else:
        content = pain001(batch, orders)
        note_file(batch, content)
    return file_response(f"{batch.pk}.{form}", content)
