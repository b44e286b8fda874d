"""Endpoints, deliveries and events: whether the shop was told."""

from datetime import datetime
from typing import Any, ClassVar

from django.urls import reverse

from backoffice import formats
from backoffice.acts import Act
from backoffice.admin.filters import (
    ModeFilter,
    OfficeFilter,
    choice_filter,
    day_filter,
    link_filter,
)
from backoffice.admin.office import OfficeAdmin
from backoffice.admin.webhook_acts import DELIVERY_ACTS, ENDPOINT_ACTS, RESEND_ALL, RESEND_EVENT
from backoffice.page_parts import Answer, Section, Table, facts
from backoffice.resource.columns import (
    MERCHANT,
    MODE,
    Column,
    id_column,
    instant_column,
    status_column,
)
from backoffice.roles import Right
from webhooks.event_types import EventType
from webhooks.models import Attempt, Delivery, Event, Webhook
from webhooks.statuses import DeliveryStatus

SHOWN = 20
FEW_ENDPOINTS = 100


class StateFilter(OfficeFilter):
    """Whether an endpoint is switched on."""

    title = "state"
    parameter_name = "state"
    options = (("on", "on"), ("off", "off"))

    def queryset(self, request: Any, queryset: Any) -> Any:
        value = self.value()
        return queryset.filter(is_active=value == "on") if value in ("on", "off") else queryset


class DeliveryModeFilter(ModeFilter):
    """The mode of the endpoint. Where few endpoints are of it, theirs are found by their names."""

    def queryset(self, request: Any, queryset: Any) -> Any:
        mode = self.value()
        if mode == "both":
            return queryset
        endpoints = Webhook.objects.filter(livemode=mode == "live")
        ids = list(endpoints.values_list("pk", flat=True)[: FEW_ENDPOINTS + 1])
        if len(ids) <= FEW_ENDPOINTS:
            return queryset.filter(webhook__in=ids)
        return queryset.filter(webhook__livemode=mode == "live")


STATE = Column(
    "State",
    show=lambda webhook: formats.badge("on" if webhook.is_active else "off"),
    plain=lambda webhook: "on" if webhook.is_active else "off",
)


class WebhookAdmin(OfficeAdmin):
    plural = "Endpoints"
    counted = ("endpoint", "endpoints")
    view_right: ClassVar[Right] = Right.VIEW_WEBHOOKS
    list_select_related = ("merchant",)
    list_display = (
        Column("URL", show=lambda webhook: webhook.url[:70]),
        STATE,
        MERCHANT,
        Column("Failures in a row", show=lambda webhook: webhook.failures),
        instant_column("Last success", "last_success_at"),
        MODE,
    )
    list_filter = (StateFilter, ModeFilter, link_filter("merchant", "merchant", "merchant_id"))
    acts: ClassVar[tuple[Act, ...]] = ENDPOINT_ACTS

    def get_queryset(self, request: Any) -> Any:
        return super().get_queryset(request).filter(deleted_at=None)

    def heading(self, row: Webhook) -> str:
        return f"Webhook endpoint of {row.merchant.name}"

    def answer(self, row: Webhook, now: datetime) -> Answer:
        if not row.is_active:
            return Answer([f"Switched off: {row.get_disabled_reason_display()}."], "bad")
        if row.failing_since:
            since = formats.clock(row.failing_since, now)
            return Answer([f"Failing since {since}, {row.failures} times in a row."], "wait")
        return Answer(["Answering."], "good")

    def sections(self, row: Webhook) -> list[Section]:
        merchant = reverse("admin:merchants_merchant_change", args=[row.merchant_id])
        return [
            Section(
                "Endpoint",
                facts(
                    ("Endpoint", formats.code(row.pk)),
                    ("URL", row.url),
                    ("Merchant", formats.link(row.merchant.name, merchant)),
                    ("Events", ", ".join(row.events)),
                    ("Description", row.description),
                    ("Mode", formats.mode(row.livemode)),
                    ("Secret", row.secret_hint),
                    ("Secret made", formats.moment(row.secret_created_at)),
                    ("Created", formats.moment(row.created_at)),
                    ("Last success", formats.moment(row.last_success_at)),
                ),
            )
        ]

    def tables(self, row: Webhook) -> list[Table]:
        newest = Delivery.objects.filter(webhook=row).select_related("event", "webhook")
        more = f"{reverse('admin:webhooks_delivery_changelist')}?endpoint={row.pk}&mode=both"
        return [delivery_table(newest.order_by("-created_at", "-id")[:SHOWN], more=more)]


class DeliveryAdmin(OfficeAdmin):
    plural = "Deliveries"
    counted = ("delivery", "deliveries")
    view_right: ClassVar[Right] = Right.VIEW_WEBHOOKS
    list_select_related = ("event__merchant", "webhook")
    list_display = (
        instant_column("Created", "created_at"),
        Column("Event", show=lambda delivery: delivery.event.type),
        status_column(),
        Column("Tries", show=lambda delivery: delivery.attempt_count),
        instant_column("Next try", "next_attempt_at"),
        Column("Merchant", show=lambda delivery: delivery.event.merchant.name),
        Column("URL", show=lambda delivery: delivery.webhook.url[:50]),
        id_column("Delivery"),
    )
    list_filter = (
        day_filter(prefix="dlv"),
        choice_filter("status", "status", DeliveryStatus.choices),
        DeliveryModeFilter,
        link_filter("endpoint", "endpoint", "webhook_id"),
        link_filter("event", "event", "event_id"),
    )
    acts: ClassVar[tuple[Act, ...]] = DELIVERY_ACTS
    list_acts: ClassVar[tuple[Act, ...]] = (RESEND_ALL,)

    def heading(self, row: Delivery) -> str:
        return f"Delivery of {row.event.type}"

    def sections(self, row: Delivery) -> list[Section]:
        event = reverse("admin:webhooks_event_change", args=[row.event_id])
        endpoint = reverse("admin:webhooks_webhook_change", args=[row.webhook_id])
        return [
            Section(
                "Delivery",
                facts(
                    ("Status", formats.badge(row.status)),
                    ("Event", formats.link(formats.code(row.event_id), event)),
                    ("Endpoint", formats.link(row.webhook.url[:80], endpoint)),
                    ("Merchant", row.event.merchant.name),
                    ("Tries", row.attempt_count),
                    ("Next try", formats.moment(row.next_attempt_at)),
                    ("Created", formats.moment(row.created_at)),
                    ("Ended", formats.moment(row.ended_at) if row.ended_at else ""),
                ),
            )
        ]

    def tables(self, row: Delivery) -> list[Table]:
        attempts = Attempt.objects.filter(delivery=row).order_by("-number")[:SHOWN]
        return [
            Table(
                "Attempts",
                ("No.", "At", "Answer", "ms", "Error", "Excerpt"),
                [
                    (
                        attempt.number,
                        formats.moment(attempt.attempted_at),
                        attempt.status or "—",
                        attempt.ms,
                        attempt.error or "—",
                        attempt.excerpt[:80],
                    )
                    for attempt in attempts
                ],
            )
        ]


class EventAdmin(OfficeAdmin):
    view_right: ClassVar[Right] = Right.VIEW_WEBHOOKS
    list_select_related = ("merchant",)
    list_display = (
        instant_column("Created", "created_at"),
        Column("Type", show=lambda event: event.type),
        Column("About", show=lambda event: formats.short_code(event.resource_id)),
        MERCHANT,
        MODE,
        id_column("Event"),
    )
    list_filter = (
        day_filter(prefix="evt"),
        choice_filter("type", "type", [(value, value) for value in EventType.values]),
        ModeFilter,
        link_filter("merchant", "merchant", "merchant_id"),
        link_filter("about", "resource", "resource_id"),
        link_filter("request", "request", "request_id"),
    )
    acts: ClassVar[tuple[Act, ...]] = (RESEND_EVENT,)

    def heading(self, row: Event) -> str:
        return f"Event {row.type}"

    def sections(self, row: Event) -> list[Section]:
        data = row.content["data"]
        return [
            Section(
                "Event",
                facts(
                    ("Event", formats.code(row.pk)),
                    ("About", formats.code(row.resource_id)),
                    ("Merchant", row.merchant.name),
                    ("Mode", formats.mode(row.livemode)),
                    ("Request", formats.code(row.request_id) if row.request_id else ""),
                    ("Created", formats.moment(row.created_at)),
                ),
            ),
            Section("What it says", facts(*((name, str(value)) for name, value in data.items()))),
        ]

    def tables(self, row: Event) -> list[Table]:
        deliveries = Delivery.objects.filter(event=row).select_related("event", "webhook")
        return [delivery_table(deliveries.order_by("-pk")[:SHOWN])]


def delivery_table(deliveries: Any, *, more: str = "") -> Table:
    """Return deliveries as a table of a page."""
    return Table(
        "Deliveries",
        ("Delivery", "Event", "Status", "Tries", "Next try", "URL"),
        [
            (
                formats.link(
                    formats.code(delivery.pk),
                    reverse("admin:webhooks_delivery_change", args=[delivery.pk]),
                ),
                delivery.event.type,
                formats.badge(delivery.status),
                delivery.attempt_count,
                formats.moment(delivery.next_attempt_at),
                delivery.webhook.url[:50],
            )
            for delivery in deliveries
        ],
        more=more,
    )
