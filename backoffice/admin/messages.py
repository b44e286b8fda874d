"""E-mails and text messages: planned, sent, and those that could not be sent."""

from typing import Any, ClassVar

from backoffice import formats
from backoffice.admin.filters import ModeFilter, OfficeFilter, choice_filter, link_filter
from backoffice.admin.office import OfficeAdmin
from backoffice.page_parts import Section, facts
from backoffice.resource.columns import Column, instant_column, text_column
from backoffice.roles import Right
from backoffice.search_results import page_of_id
from backoffice.timeline import masked_recipient
from core.clock import utc_now
from messages.models import Channel, Message, MessageStatus

INTERRUPTED = "Interrupted while it was being sent: it may have arrived."
KINDS = (
    "invoice", "reminder", "due", "receipt", "refund", "pin_changed", "passkey_added",
    "passkey_removed", "exhausted", "gone", "failing", "payment_link", "api_key",
    "change_requested", "change_made", "confirm_email",
)  # fmt: skip


def _state(row: Message) -> str:
    return "interrupted" if row.is_interrupted(utc_now()) else row.get_status_display()


def _cause(row: Message) -> str:
    return INTERRUPTED if row.is_interrupted(utc_now()) else row.last_error


def _about(row: Message) -> Any:
    url = page_of_id(row.about)
    return formats.link(formats.code(row.about), url) if url else formats.code(row.about)


class UnsentFilter(OfficeFilter):
    """Those that wait for staff: refused, given up, or interrupted by a crash."""

    title = "state"
    parameter_name = "state"
    options = (("unsent", "could not be sent"),)

    def queryset(self, request: Any, queryset: Any) -> Any:
        return queryset.unsent(utc_now()) if self.value() == "unsent" else queryset


class MessageAdmin(OfficeAdmin):
    plural = "Messages"
    view_right: ClassVar[Right] = Right.VIEW_TRADE
    list_display = (
        Column("Message", show=lambda row: row.kind.replace("_", " ")),
        text_column("By", "channel"),
        Column("To", show=masked_recipient),
        Column("Status", show=lambda row: formats.badge(row.status, _state(row)), plain=_state),
        instant_column("Due", "due_at"),
        instant_column("Sent", "sent_at"),
        Column("Cause", show=_cause),
        Column("About", show=_about, plain=lambda row: row.about),
    )
    list_filter = (
        UnsentFilter,
        choice_filter("status", "status", MessageStatus.choices),
        choice_filter("message", "kind", zip(KINDS, KINDS, strict=True)),
        choice_filter("by", "channel", Channel.choices),
        ModeFilter,
        link_filter("about", "about"),
    )

    def heading(self, row: Message) -> str:
        return f"{row.kind.replace('_', ' ').capitalize()} to {masked_recipient(row)}"

    def sections(self, row: Message) -> list[Section]:
        return [
            Section(
                "Message",
                facts(
                    ("Message", formats.code(row.pk)),
                    ("By", row.get_channel_display()),
                    ("To", masked_recipient(row)),
                    ("Status", formats.badge(row.status, _state(row))),
                    ("Cause", _cause(row)),
                    ("Attempts", row.attempts),
                    ("Planned", formats.moment(row.created_at)),
                    ("Due", formats.moment(row.due_at)),
                    ("Age", formats.age(row.due_at, utc_now())),
                    ("Sent", formats.moment(row.sent_at) if row.sent_at else ""),
                    ("About", _about(row)),
                    ("Mode", formats.mode(row.livemode)),
                ),
            )
        ]
