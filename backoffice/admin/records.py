"""The back office's own records: the audit trail, notes, resendings and exports."""

import json
from datetime import datetime
from typing import Any

from django.apps import apps
from django.http import HttpRequest, HttpResponseBase
from django.template.defaultfilters import filesizeformat
from django.utils.html import format_html_join

from backoffice import formats
from backoffice.admin.office import OfficeAdmin
from backoffice.models import (
    AuditEntry,
    AuditOutcome,
    ExportForm,
    ExportRun,
    Note,
    NoteSubject,
    ResendRun,
)
from backoffice.page_parts import Section, SupportAnswer, facts
from backoffice.pages.export import export_file_page
from backoffice.resource.catalog import CATALOG
from backoffice.resource.days import DayFilter, day_filter
from backoffice.resource.filters import choice_filter, link_filter
from backoffice.resource.page_urls import address_of, list_of
from backoffice.resource.shown import Badge, Code, Field, Figure, Instant, Reference, linked
from backoffice.resource.usual_fields import CREATED
from backoffice.services.webhooks import was_stopped
from backoffice.statement_files import STATEMENT_FILE
from core.ids import made_at
from payouts.account_statements import SETTLED_AFTER
from payouts.models import AccountStatement

AT, WHO, DID = Instant("At", "at"), Field("Who", "actor"), Field("Did", "act")
ON = Reference("On", "subject_id")
REASON = Field("Reason", "reason", most=60)
ERROR = Field("Error", "error", most=80)
FROM = Field("From", "address")


def _written(state: dict[str, Any]) -> str:
    return "\n".join(
        f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in state.items()
    )


class AuditEntryAdmin(OfficeAdmin):
    model = AuditEntry
    audited = False
    ordering = ("-sequence",)
    list_display = (
        Field("No.", "sequence"),
        AT,
        WHO,
        DID,
        Badge("Outcome", "outcome"),
        ON,
        REASON,
        ERROR,
        FROM,
    )
    list_filter = (
        day_filter("at"),
        choice_filter("outcome", "outcome", AuditOutcome.choices),
        link_filter("who", "actor"),
        link_filter("on", "subject", "subject_id"),
        link_filter("act", "act"),
    )
    details = (
        Field("Roles", "roles"),
        Field("Outcome", lambda entry: formats.badge(entry.outcome, entry.get_outcome_display())),
        Field("Before", lambda entry: _written(entry.before)),
        Field("After", lambda entry: _written(entry.after)),
        Field("Note", "note"),
        Code("Request", "request_id"),
    )

    def heading(self, row: AuditEntry) -> str:
        return f"{row.act.capitalize()} by {row.actor}"


WRITTEN_AT = Instant("At", "created_at")
AUTHOR = Field("By", "author.get_username")
TEXT = Field("Note", "text", most=120)


class NoteAdmin(OfficeAdmin):
    model = Note
    heading_format = "Note by {row.author.username}"
    exported = False
    list_select_related = ("author",)
    list_display = (WRITTEN_AT, AUTHOR, ON, TEXT)
    list_filter = (
        choice_filter("on", "subject_type", NoteSubject.choices),
        link_filter("about", "subject", "subject_id"),
    )


# What a filter of deliveries is called where it is told, by its look-up.
_LOOKUPS = {
    "webhook__livemode": "Mode",
    "webhook_id": "Endpoint",
    "webhook_id__in": "Endpoint",
    "event_id": "Event",
    "event_id__in": "Event",
    "status": "Status",
    "status__in": "Status",
    "id__gte": "Created from",
    "created_at__gte": "Created from",
    "id__lt": "Created before",
    "ended_at__gte": "Ended from",
}


def _sought(name: str, value: Any) -> Any:
    """Describe a look-up in words."""
    if isinstance(value, bool):
        return "live" if value else "test"
    if name.startswith("id__"):
        return formats.moment(made_at(value))
    if name.endswith("_at__gte"):
        return formats.moment(datetime.fromisoformat(value))
    values = value if isinstance(value, list) else [value]
    return format_html_join(", ", "{}", ((linked(each, each),) for each in values))


ASKED, ASKED_BY = Instant("Requested", "created_at"), Field("By", "asked_by.get_username")
SENT = Field("Sent", lambda run: f"{run.sent_count:,} of {run.expected_count:,}")
SKIPPED = Figure("Not possible", "skipped_count")
STOPPED = (
    "It was stopped: the account that requested it was closed or reset, or may not resend webhooks"
    " any more. A colleague can resend the rest."
)
RUN_STATE = Badge("State", lambda run: "done" if run.finished_at else "pending")
FINISHED = Instant("Finished", "finished_at", empty="—")


class ResendRunAdmin(OfficeAdmin):
    model = ResendRun
    when_empty = "Webhooks that are resent from a list come here."
    exported = False
    list_select_related = ("asked_by",)
    list_display = (ASKED, ASKED_BY, SENT, SKIPPED, RUN_STATE, REASON)
    list_filter = (DayFilter,)
    details = (FINISHED,)

    def heading(self, row: ResendRun) -> str:
        return f"Resending of {formats.counted(row.expected_count, 'webhook')}"

    def answer(self, row: ResendRun, now: datetime) -> SupportAnswer | None:
        return SupportAnswer([STOPPED], "bad") if was_stopped(row) else None

    def sections(self, row: ResendRun) -> list[Section]:
        asked = ((name, words) for name, words in _LOOKUPS.items() if name in row.lookups)
        which = ((words, _sought(name, row.lookups[name])) for name, words in asked)
        return [*super().sections(row), Section("Which", facts(*which))]


def _source(run: ExportRun) -> Any:
    """Link to the statement, or to the filtered list, that is exported."""
    if run.resource == STATEMENT_FILE:
        return linked(run.query)
    model = apps.get_model(run.resource)
    return formats.link(CATALOG[model].title, f"{list_of(model)}?{run.query}")


def _progress(run: ExportRun, now: datetime) -> str:
    """Say that a worker prepares it, that it waits for its turn, or when it can begin."""
    if run.lease_until is not None and run.lease_until > now:
        rows = "" if run.form == ExportForm.PDF else f" {run.row_count:,} rows so far,"
        return f"It is being made,{rows}"
    settling = AccountStatement.objects.filter(pk=run.query, end_at__gt=now - SETTLED_AFTER)
    if run.resource == STATEMENT_FILE and (statement := settling.first()):
        starts, end = (
            formats.clock(at, now) for at in (statement.end_at + SETTLED_AFTER, statement.end_at)
        )
        return f"It starts at {starts}, when every movement before {end} is known,"
    return "It waits for its turn,"


STATE = Badge("State", "state")
ROWS = Figure("Rows", lambda run: None if run.form == ExportForm.PDF else run.row_count)


class ExportRunAdmin(OfficeAdmin):
    model = ExportRun
    when_empty = "Statements, and lists too long to export at once, come here."
    heading_format = "Export {row.name}"
    exported = False
    list_select_related = ("asked_by",)
    list_display = (CREATED, Field("File", "name"), STATE, ROWS)
    list_filter = (DayFilter,)
    file_route = "file/"
    details = (
        Field("Size", lambda run: filesizeformat(run.byte_count) if run.byte_count else ""),
        Field("Made from", _source),
        Instant("Ready", "finished_at"),
    )

    def file_response(self, request: HttpRequest, row: ExportRun, form: str) -> HttpResponseBase:
        return export_file_page(request, row)

    def is_changing(self, row: ExportRun) -> bool:
        return row.state == "pending"

    def answer(self, row: ExportRun, now: datetime) -> SupportAnswer:
        if row.state == "failed":
            return SupportAnswer([row.error], "bad")
        if row.state == "pending":
            words = [f"{_progress(row, now)} requested {formats.age(row.created_at, now)} ago."]
            if row.asked_by.email:
                words.append("You are told by e-mail when it is ready.")
            return SupportAnswer(words, "wait")
        return SupportAnswer(["It is ready."], "good")

    def files(self, row: ExportRun) -> list[tuple[str, str]]:
        is_ready = row.state == "ready"
        return [("Download", address_of(ExportRun, "file", row.pk))] if is_ready else []
