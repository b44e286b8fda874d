"""Exports that are made in the background, each seen by its requester alone."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from django.template.defaultfilters import filesizeformat

from backoffice import formats
from backoffice.admin.office import OfficeAdmin
from backoffice.models import ExportRun
from backoffice.page_parts import SupportAnswer
from backoffice.pages.export import export_file_page
from backoffice.resource.display_fields import CREATED, Badge, Field, Instant
from backoffice.resource.filters import DayFilter
from backoffice.resource.page_urls import address_of
from backoffice.staff import staff_of

STATE, ROWS = Badge("State", "state"), Field("Rows", lambda run: f"{run.row_count:,}")


class ExportRunAdmin(OfficeAdmin):
    """A file may hold what another role may not see: it is its requester's."""

    heading_format = "Export {row.name}"
    exported = False
    list_select_related = ("asked_by",)
    list_display = (CREATED, Field("File", "name"), STATE, ROWS)
    list_filter = (DayFilter,)
    file_route = "file/"
    details = (
        Field("Size", lambda run: filesizeformat(run.byte_count) if run.byte_count else ""),
        Field("Filters", "query"),
        Instant("Ready", "finished_at"),
    )

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).filter(asked_by_id=staff_of(request).user_id)

    def file_view(self, request: HttpRequest, object_id: str, form: str = "") -> HttpResponseBase:
        """Answer with the file."""
        return export_file_page(request, self.row_of(request, object_id))

    def is_changing(self, row: ExportRun) -> bool:
        return row.state == "pending"

    def answer(self, row: ExportRun, now: datetime) -> SupportAnswer:
        if row.state == "failed":
            return SupportAnswer([row.error], "bad")
        if row.state == "pending":
            waited = formats.age(row.created_at, now)
            words = [f"It is being made, {row.row_count:,} rows so far, for {waited}."]
            if row.asked_by.email:
                words.append("You are told by e-mail when it is ready.")
            return SupportAnswer(words, "wait")
        return SupportAnswer(["It is ready."], "good")

    def files(self, row: ExportRun) -> list[tuple[str, str]]:
        is_ready = row.state == "ready"
        return [("Download", address_of(ExportRun, "file", row.pk))] if is_ready else []
