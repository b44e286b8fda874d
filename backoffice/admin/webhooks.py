"""Endpoints, deliveries and events: whether the shop was notified."""

from datetime import datetime
from typing import Any

from backoffice import formats
from backoffice.admin.delivery_filters import DELIVERY_FILTERS
from backoffice.admin.office import OfficeAdmin
from backoffice.admin.webhook_actions import (
    ENDPOINT_ACTIONS,
    RESEND_ALL,
    RESEND_EVENT,
    RESEND_ONE,
)
from backoffice.page_parts import Section, SupportAnswer, facts
from backoffice.resource.days import DayFilter
from backoffice.resource.filters import ModeFilter, OfficeFilter, choice_filter, link_filter
from backoffice.resource.list_filters import MerchantFilter
from backoffice.resource.resource import Related
from backoffice.resource.shown import (
    AsOnPage,
    Badge,
    Code,
    Field,
    Figure,
    Id,
    Instant,
    Reference,
    RowLink,
    linked_actor,
)
from backoffice.resource.usual_fields import CREATED, MERCHANT, MODE, STATUS
from backoffice.webhook_answer import (
    attempt_words,
    delivery_answer_of,
    failing_sentences,
    waiting_words,
)
from core.clock import request_now
from webhooks.delivery.outcomes import SUCCESS_RECORDED_EVERY
from webhooks.endpoint_health import next_attempt_of
from webhooks.event_types import EVERYTHING, EventType
from webhooks.models import Attempt, Delivery, Event, Webhook


class StateFilter(OfficeFilter):
    """Whether an endpoint is enabled, and whether it fails; deleted ones are separate."""

    title = "state"
    parameter_name = "state"
    options = (("on", "on"), ("failing", "failing"), ("off", "off"), ("deleted", "deleted"))

    def queryset(self, request: Any, queryset: Any) -> Any:
        value = self.value()
        if value == "deleted":
            return queryset.exclude(deleted_at=None)
        there = queryset.failing() if value == "failing" else queryset.not_deleted()
        return there.filter(is_active=value == "on") if value in ("on", "off") else there


def endpoint_state(webhook: Webhook) -> str:
    if webhook.deleted_at:
        return "deleted"
    if not webhook.is_active:
        return "off"
    return "failing" if webhook.failing_since else "on"


def _state_since(webhook: Webhook) -> str:
    state, since = endpoint_state(webhook), formats.clock(webhook.failing_since, request_now())
    return f"{state} since {since}" if state == "failing" else state


def _next_attempt(delivery: Delivery) -> str:
    now = request_now()
    return attempt_words(next_attempt_of(delivery, now), now)


class LastSuccess(AsOnPage):
    """When it last accepted an event; recorded at intervals only, and exported as recorded."""

    def fact(self, row: Webhook) -> str:
        now, recorded_at = request_now(), row.last_success_at
        if recorded_at is None:
            return ""
        until = recorded_at + SUCCESS_RECORDED_EVERY
        if until > now:
            return "within the last hour"
        return f"between {formats.clock(recorded_at, now)} and {formats.clock(until, now)}"


class EventName(Field):
    """The type of an event, wrapped between its words."""

    def cell(self, row: Any) -> str:
        return formats.in_parts(self.value(row))


class DeliveryUrl(RowLink):
    """The URL of the endpoint, in a column with room for its host."""

    def cell(self, row: Delivery) -> str:
        return formats.short_url(self.value(row), self.most)


URL = Field("URL", "url", most=70)
URL_SET = Instant("URL set", "url_set_at")
ENDPOINT_STATE = Badge("State", endpoint_state)
STATE_SINCE = Field("State", _state_since)
FAILING_SINCE = Instant("Failing since", "failing_since")
LAST_ERROR = Field("Last error", "last_error", most=60)
WAITING = Field("Waiting", waiting_words)
LAST_SUCCESS = LastSuccess("Last success", "last_success_at")
SUBSCRIBED_TO = Field(
    "Events", lambda hook: "everything" if EVERYTHING in hook.events else ", ".join(hook.events)
)
EVENT = EventName("Event", "event.type")
ATTEMPTS = Figure("Attempts", "attempt_count")
NEXT_ATTEMPT = Field("Next attempt", _next_attempt)
DELIVERY_URL = DeliveryUrl("URL", "webhook.url", most=28, to="webhook")
ATTEMPT_FIELDS = (
    Field("No.", "number"),
    Instant("At", "attempted_at"),
    Field("Answer", "status"),
    Figure("ms", "ms"),
    Field("Error", "error"),
    Field("Excerpt", "excerpt", most=80),
)
ABOUT = Reference("About", "resource_id")


class WebhookAdmin(OfficeAdmin):
    model = Webhook
    heading_format = "Webhook endpoint of {row.merchant.name}"
    list_select_related = ("merchant",)
    list_display = (URL, ENDPOINT_STATE, MERCHANT, FAILING_SINCE, LAST_ERROR, LAST_SUCCESS, MODE)
    summary = (URL, STATE_SINCE, MERCHANT, WAITING, LAST_ERROR)
    list_filter = (StateFilter, ModeFilter, MerchantFilter)
    indexed = frozenset({"merchant"})
    row_actions = ENDPOINT_ACTIONS
    details = (
        Id("Endpoint"),
        SUBSCRIBED_TO,
        Field("Description", "description"),
        Field("URL set by", lambda hook: linked_actor(hook.url_set_by or "") or "not recorded"),
        URL_SET,
        Field("Secret", "secret_hint"),
        Instant("Secret made", "secret_created_at"),
        CREATED,
    )
    related = (Related(Delivery, "webhook", filter_name="endpoint", order=("-created_at", "-id")),)

    def answer(self, row: Webhook, now: datetime) -> SupportAnswer:
        if row.deleted_at:
            return SupportAnswer(
                [f"Deleted by its merchant, {formats.clock(row.deleted_at, now)}."]
            )
        if not row.is_active:
            return SupportAnswer([f"Switched off: {row.get_disabled_reason_display()}."], "bad")
        if row.failing_since:
            return SupportAnswer(failing_sentences(row, now), "bad")
        if last := LAST_SUCCESS.fact(row):
            return SupportAnswer([f"It accepts events, most recently {last}."], "good")
        return SupportAnswer(["Nothing has arrived there yet."])


class DeliveryAdmin(OfficeAdmin):
    model = Delivery
    heading_format = "Delivery of {row.event.type}"
    list_select_related = ("event__merchant", "webhook")
    list_display = (
        CREATED,
        EVENT,
        STATUS,
        ATTEMPTS,
        NEXT_ATTEMPT,
        Field("Merchant", "event.merchant.name"),
        DELIVERY_URL,
        Id("Delivery"),
    )
    list_filter = DELIVERY_FILTERS
    summary = (CREATED, EVENT, STATUS, ATTEMPTS, NEXT_ATTEMPT, DELIVERY_URL, Id("Delivery"))
    indexed = frozenset({"endpoint"})
    row_actions = (RESEND_ONE,)
    list_actions = (RESEND_ALL,)
    details = (
        Reference("Event", "event_id"),
        RowLink("Merchant", "event.merchant.name", to="event.merchant"),
        Instant("Ended", "ended_at"),
    )
    related = (
        Related(
            None,
            title="Attempts",
            rows=lambda delivery: Attempt.objects.filter(delivery=delivery),
            order=("-number",),
            fields=ATTEMPT_FIELDS,
        ),
    )

    def answer(self, row: Delivery, now: datetime) -> SupportAnswer:
        return delivery_answer_of(row, now)


class EventAdmin(OfficeAdmin):
    model = Event
    heading_format = "Event {row.type}"
    list_select_related = ("merchant",)
    list_display = (CREATED, EventName("Type", "type"), ABOUT, MERCHANT, MODE, Id("Event"))
    list_filter = (
        DayFilter,
        choice_filter("type", "type", [(value, value) for value in EventType.values]),
        ModeFilter,
        MerchantFilter,
        link_filter("about", "resource", "resource_id"),
        link_filter("request", "request", "request_id"),
    )
    indexed = frozenset({"merchant"})
    row_actions = (RESEND_EVENT,)
    details = (Code("Request", "request_id"),)
    related = (Related(Delivery, "event"),)

    def sections(self, row: Event) -> list[Section]:
        payload = facts(*((name, str(value)) for name, value in row.content["data"].items()))
        return [*super().sections(row), Section("Payload", payload)]
