"""The back office's own records: the audit trail, notes and resendings."""

import json
from typing import Any

from backoffice import formats
from backoffice.admin.office import OfficeAdmin
from backoffice.models import AuditEntry, AuditOutcome, Note, NoteSubject, ResendRun
from backoffice.page_parts import Section, facts
from backoffice.resource.filters import DayFilter, choice_filter, day_filter, link_filter
from backoffice.resource.shown import Badge, Code, Field, Instant, Reference

AT, WHO, DID = Instant("At", "at"), Field("Who", "actor"), Field("Did", "act")
ON = Reference("On", "subject_id")
REASON = Field("Reason", "reason")
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


ASKED, ASKED_BY = Instant("Requested", "created_at"), Field("By", "asked_by.get_username")
SENT = Field("Sent", lambda run: f"{run.sent_count:,} of {run.expected_count:,}")
SKIPPED = Field("Not possible", "skipped_count")
RUN_STATE = Badge("State", lambda run: "done" if run.finished_at else "pending")
FINISHED = Instant("Finished", "finished_at", empty="—")


class ResendRunAdmin(OfficeAdmin):
    model = ResendRun
    heading_format = "Resending of {row.expected_count:,} webhooks"
    exported = False
    list_select_related = ("asked_by",)
    list_display = (ASKED, ASKED_BY, SENT, SKIPPED, RUN_STATE, REASON)
    list_filter = (DayFilter,)
    details = (FINISHED,)

    def sections(self, row: ResendRun) -> list[Section]:
        lookups = ((name.replace("__", " "), str(value)) for name, value in row.lookups.items())
        return [*super().sections(row), Section("Which", facts(*lookups))]
