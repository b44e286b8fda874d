"""The back office's own records: the audit trail, notes, resendings, and mails about payments."""

import json
from typing import Any

from django.urls import reverse

from backoffice import formats
from backoffice.admin.office import OfficeAdmin
from backoffice.models import AuditEntry, AuditOutcome, Note, NoteSubject, ResendRun
from backoffice.page_parts import Section, facts
from backoffice.resource.addresses import page_of_id
from backoffice.resource.columns import Column, instant_column, status_column, text_column
from backoffice.resource.filters import (
    DayFilter,
    OfficeFilter,
    choice_filter,
    day_filter,
    link_filter,
)
from backoffice.services.payments import masked_address
from payments.models import EmailKind, EmailStatus, PaymentEmail


def _subject(row: Any) -> Any:
    url = page_of_id(row.subject_id)
    words = formats.code(row.subject_id or "—")
    return formats.link(words, url) if url else words


class AuditEntryAdmin(OfficeAdmin):
    audited = False
    ordering = ("-sequence",)
    list_display = (
        Column("No.", show=lambda entry: entry.sequence),
        instant_column("At", "at"),
        text_column("Who", "actor"),
        text_column("Did", "act"),
        status_column("Outcome", "outcome"),
        Column("On", show=_subject, plain=lambda entry: entry.subject_id),
        text_column("Reason", "reason"),
        Column(
            "Error", show=lambda entry: entry.error[:80] or "—", plain=lambda entry: entry.error
        ),
        text_column("From", "address"),
    )
    list_filter = (
        day_filter("at"),
        choice_filter("outcome", "outcome", AuditOutcome.choices),
        link_filter("who", "actor"),
        link_filter("on", "subject", "subject_id"),
        link_filter("act", "act"),
    )

    def heading(self, row: AuditEntry) -> str:
        return f"{row.act.capitalize()} by {row.actor}"

    def sections(self, row: AuditEntry) -> list[Section]:
        return [
            Section(
                "Entry",
                facts(
                    ("Number", row.sequence),
                    ("At", formats.moment(row.at)),
                    ("Who", row.actor),
                    ("In the role of", row.roles),
                    ("Did", row.act),
                    ("Outcome", formats.badge(row.outcome, row.get_outcome_display())),
                    ("On", _subject(row)),
                    ("Before", _written(row.before)),
                    ("After", _written(row.after)),
                    ("Reason", row.reason),
                    ("Note", row.note),
                    ("Error", row.error),
                    ("From", row.address),
                    ("Request", formats.code(row.request_id) if row.request_id else ""),
                ),
            )
        ]


def _written(state: dict[str, Any]) -> str:
    return "\n".join(
        f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in state.items()
    )


class NoteAdmin(OfficeAdmin):
    exported = False
    list_select_related = ("author",)
    list_display = (
        instant_column("At", "created_at"),
        Column("By", show=lambda note: note.author.get_username()),
        Column("On", show=_subject),
        Column("Note", show=lambda note: note.text[:120]),
    )
    list_filter = (
        choice_filter("on", "subject_type", NoteSubject.choices),
        link_filter("about", "subject", "subject_id"),
    )

    def heading(self, row: Note) -> str:
        return f"Note by {row.author.get_username()}"

    def sections(self, row: Note) -> list[Section]:
        return [
            Section(
                "Note",
                facts(
                    ("On", _subject(row)),
                    ("At", formats.moment(row.created_at)),
                    ("By", row.author.get_username()),
                    ("Note", row.text),
                ),
            )
        ]


class ResendRunAdmin(OfficeAdmin):
    exported = False
    list_select_related = ("asked_by",)
    list_display = (
        instant_column("Asked", "created_at"),
        Column("By", show=lambda run: run.asked_by.get_username()),
        Column("Sent", show=lambda run: f"{run.sent_count:,} of {run.expected_count:,}"),
        Column("Not possible", show=lambda run: run.skipped_count),
        Column("State", show=lambda run: formats.badge("done" if run.finished_at else "pending")),
        text_column("Reason", "reason"),
    )
    list_filter = (DayFilter,)

    def heading(self, row: ResendRun) -> str:
        return f"Resending of {row.expected_count:,} webhooks"

    def sections(self, row: ResendRun) -> list[Section]:
        lookups = ((name.replace("__", " "), str(value)) for name, value in row.lookups.items())
        return [
            Section(
                "Resending",
                facts(
                    ("Sent", f"{row.sent_count:,} of {row.expected_count:,}"),
                    ("Not possible", row.skipped_count),
                    ("Asked", formats.moment(row.created_at)),
                    ("By", row.asked_by.get_username()),
                    ("Reason", row.reason),
                    ("Finished", formats.moment(row.finished_at)),
                ),
            ),
            Section("Which", facts(*lookups)),
        ]


class MailModeFilter(OfficeFilter):
    title = "mode"
    parameter_name = "mode"
    options = (("live", "live"), ("test", "test"))

    def queryset(self, request: Any, queryset: Any) -> Any:
        value = self.value()
        known = value in ("live", "test")
        return queryset.filter(payment__livemode=value == "live") if known else queryset


class PaymentEmailAdmin(OfficeAdmin):
    list_select_related = ("payment",)
    list_display = (
        text_column("Mail", "kind"),
        Column("To", show=lambda mail: masked_address(mail.recipient)),
        status_column(),
        instant_column("Due", "due_at"),
        instant_column("Sent", "sent_at"),
        Column("Payment", show=lambda mail: formats.code(mail.payment_id)),
    )
    list_filter = (
        choice_filter("status", "status", EmailStatus.choices),
        choice_filter("mail", "kind", EmailKind.choices),
        MailModeFilter,
    )

    def heading(self, row: PaymentEmail) -> str:
        return f"{row.get_kind_display()} to {masked_address(row.recipient)}"

    def sections(self, row: PaymentEmail) -> list[Section]:
        payment = reverse("admin:payments_payment_change", args=[row.payment_id])
        return [
            Section(
                "Mail",
                facts(
                    ("Mail", row.kind),
                    ("To", masked_address(row.recipient)),
                    ("Status", formats.badge(row.status)),
                    ("Due", formats.moment(row.due_at)),
                    ("Sent", formats.moment(row.sent_at) if row.sent_at else ""),
                    ("Payment", formats.link(formats.code(row.payment_id), payment)),
                ),
            )
        ]
