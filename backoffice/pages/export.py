"""An export is the list as it is on the screen: its filters, its order, its fields, as a file."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone

from backoffice.audit import AuditAction, AuditRecord, append_entry, append_forbidden
from backoffice.resource.display_fields import Field
from backoffice.resource.resource import AdminResource
from backoffice.roles import Right
from backoffice.staff import staff_of
from core.clock import request_now

MOST_ROWS = 100_000
CHUNK = 2_000
# What makes a spreadsheet read a text as a formula.
_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f]")
_EXCEL = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def export_page(resource: AdminResource, request: HttpRequest, form: str) -> HttpResponse:
    """Answer with the file, and record the download. Raises PermissionDenied, Http404."""
    staff, instant, meta = staff_of(request), request_now(), resource.model._meta
    query = request.GET.urlencode()
    action = AuditAction(
        act="export",
        right=Right.EXPORT,
        subject_type=str(meta.model_name),
        subject_id="",
        reason=f"{form}: {query}"[:500],
    )
    if not (resource.has_view_permission(request) and staff.may(Right.EXPORT)):
        append_forbidden(staff=staff, action=action, now=instant)
        raise PermissionDenied
    if not resource.exported or form not in ("csv", "xlsx"):
        raise Http404
    changelist = resource.get_changelist_instance(request)
    fields = [field for field in resource.list_display if isinstance(field, Field)]
    append_entry(staff=staff, action=action, record=AuditRecord(), now=instant)
    rows = changelist.queryset[: MOST_ROWS + 1].iterator(chunk_size=CHUNK)
    name = f"{resource.entry.counted_as[1]} {timezone.localtime(instant):%Y-%m-%d %H.%M}.{form}"
    response = _csv(fields, rows) if form == "csv" else _xlsx(fields, rows)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def escape_cell(cell: Any) -> Any:
    """Keep a spreadsheet from running a text: an apostrophe makes it a text again."""
    if isinstance(cell, int) and not isinstance(cell, bool):
        return cell
    text = _UNPRINTABLE.sub(" ", "" if cell is None else str(cell))
    return f"'{text}" if text.lstrip().startswith(_FORMULA) else text


def _lines(fields: Sequence[Field], rows: Iterable[Any]) -> Iterator[list[Any]]:
    yield [title for field in fields for title in field.titles()]
    for number, row in enumerate(rows):
        if number == MOST_ROWS:
            yield [f"Only the first {MOST_ROWS:,} rows are included: narrow the filters."]
            return
        yield [escape_cell(cell) for field in fields for cell in field.exported(row)]


def _csv(fields: Sequence[Field], rows: Iterable[Any]) -> HttpResponse:
    buffer = io.StringIO()
    buffer.write("\ufeff")  # tells Excel that it is UTF-8
    csv.writer(buffer, lineterminator="\r\n").writerows(_lines(fields, rows))
    return HttpResponse(buffer.getvalue(), content_type="text/csv; charset=utf-8")


def _xlsx(fields: Sequence[Field], rows: Iterable[Any]) -> HttpResponse:
    # 5 MB of memory and 0.2 s of a start, which processes that export nothing are spared.
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    sheet = book.create_sheet("Export")
    for line in _lines(fields, rows):
        sheet.append(line)
    buffer = io.BytesIO()
    book.save(buffer)
    return HttpResponse(buffer.getvalue(), content_type=_EXCEL)
