"""E-mails and text messages: planned, sent, and resent if that failed."""

from typing import Any

from django.http import HttpRequest

from backoffice import formats
from backoffice.actions import Action
from backoffice.admin.office import OfficeAdmin
from backoffice.forms import ActionForm, CheckboxField
from backoffice.message_words import (
    MESSAGE_KINDS,
    kind_words,
    masked_recipient,
    status_words,
    with_payment_ended,
)
from backoffice.resource.filters import ModeFilter, OfficeFilter, choice_filter, link_filter
from backoffice.resource.shown import Badge, Field, Figure, Id, Instant, Reference
from backoffice.resource.usual_fields import MODE
from backoffice.roles import Right
from backoffice.services.support import send_message_again
from core.clock import request_now
from messages.models import Channel, Message, MessageStatus


class SendAgainForm(ActionForm):
    """One message; with a tick if it may have arrived after all."""

    sure = CheckboxField(label="It may have arrived; send it again anyway")

    def prepare(self) -> None:
        if self.row.status == MessageStatus.REFUSED:
            del self.fields["sure"]


SEND_AGAIN = Action(
    title="Send again",
    right=Right.MESSAGE,
    form=SendAgainForm,
    service=send_message_again,
    message="Queued to be sent again.",
    audited_as="send message again",
    watches=("status",),
    limited=True,
    about="It goes to the same recipient, who may get it twice.",
    icon="send",
    main=True,
    available=lambda message, now: message.waits_for_staff(now),
)


INTERRUPTED = "Interrupted while it was being sent: it may have arrived."


def _cause(row: Message) -> str:
    return INTERRUPTED if row.is_interrupted(request_now()) else row.last_error


def _unsent_for(row: Message) -> str:
    """Return how long a message that waits for staff has been due."""
    now = request_now()
    return formats.age(row.due_at, now) if row.waits_for_staff(now) else ""


class StateBadge(Badge):
    """The status in its own colour, in the words that `source` returns."""

    def fact(self, row: Message) -> Any:
        return formats.badge(row.status, self.value(row))


class UnsentFilter(OfficeFilter):
    """Messages that wait for staff: refused, given up, or interrupted by a crash."""

    title = "state"
    parameter_name = "state"
    options = (("unsent", "could not be sent, however old"),)

    def narrowed(self, rows: Any, value: str) -> Any:
        return rows.unsent(request_now())


WAYS = {Channel.EMAIL: "e\N{NON-BREAKING HYPHEN}mail", Channel.SMS: "text message"}
BY, TO = Field("By", lambda row: WAYS[row.channel]), Field("To", masked_recipient)
STATUS = StateBadge("Status", lambda row: status_words(row, request_now()))
CAUSE = Field("Cause", _cause)
DUE, SENT = Instant("Due", "due_at"), Instant("Sent", "sent_at")
ABOUT = Reference("About", "about")


class MessageAdmin(OfficeAdmin):
    model = Message
    list_display = (Field("Message", kind_words), BY, TO, STATUS, DUE, SENT, CAUSE, ABOUT, MODE)
    list_filter = (
        UnsentFilter,
        choice_filter("status", "status", [(each, each.label.lower()) for each in MessageStatus]),
        choice_filter("message", "kind", MESSAGE_KINDS.items()),
        choice_filter("by", "channel", WAYS.items()),
        ModeFilter,
        link_filter("about", "about"),
    )
    row_actions = (SEND_AGAIN,)
    details = (
        Id("Message"),
        Figure("Attempts", "attempts"),
        Instant("Planned", "created_at"),
        Field("Not sent for", _unsent_for),
    )

    def get_queryset(self, request: HttpRequest) -> Any:
        return with_payment_ended(super().get_queryset(request), request_now())

    def heading(self, row: Message) -> str:
        return f"{kind_words(row)} to {masked_recipient(row)}"
