"""The filters of the list of deliveries, and what a run stores of them to resend that list."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest, QueryDict

from backoffice.queues import DAY, QueueFilter, failed_lately
from backoffice.resource.days import DayFilter
from backoffice.resource.filters import ModeFilter, OfficeFilter, Rows, choice_filter, link_filter
from core.clock import request_now
from webhooks.models import Delivery, Webhook
from webhooks.statuses import DeliveryStatus

FEW_ENDPOINTS = 100
_NOT_ARRIVED = [status.value for status in DeliveryStatus if status != DeliveryStatus.DELIVERED]
_CHOOSE_NO_ROWS = {"columns", "p", "e"}


class EndedFilter(OfficeFilter):
    """Deliveries that arrived or were given up in the last 24 hours."""

    title = "ended"
    parameter_name = "ended"
    options = (("day", "in the last 24 hours"),)

    def conditions(self, value: str) -> dict[str, Any]:
        return {"ended_at__gte": request_now() - DAY}


class DeliveryModeFilter(ModeFilter):
    """The mode of the endpoint. If a mode has few endpoints, their ids are looked up first."""

    def narrowed(self, rows: Rows, value: str) -> Rows:
        if value == "both":
            return rows
        endpoints = Webhook.objects.filter(livemode=value == "live")
        ids = list(endpoints.values_list("pk", flat=True)[: FEW_ENDPOINTS + 1])
        if len(ids) <= FEW_ENDPOINTS:
            return rows.filter(webhook__in=ids)
        return super().narrowed(rows, value)

    def conditions(self, value: str) -> dict[str, Any]:
        return {} if value == "both" else {"webhook__livemode": value == "live"}


DELIVERY_FILTERS = (
    DayFilter,
    choice_filter("status", "status", DeliveryStatus.choices),
    EndedFilter,
    DeliveryModeFilter,
    link_filter("endpoint", "endpoint", "webhook_id"),
    link_filter("event", "event", "event_id"),
)


def lookups_of(query: str, now: datetime, *, delivered_too: bool) -> dict[str, Any]:
    """Return the filters of a list of deliveries as look-ups that a run can store.

    They match nothing if the list ignores one of the filters: it shows more than was asked for.
    """
    asked = {name: list(values) for name, values in QueryDict(query).lists()}
    is_printable = all(value.isprintable() for values in asked.values() for value in values)
    kinds = (QueueFilter, *DELIVERY_FILTERS)
    filters = [kind(HttpRequest(), asked, Delivery, None) for kind in kinds]  # each takes its own
    chosen = [
        failed_lately(now) if isinstance(each, QueueFilter) else each.conditions(str(each.value()))
        for each in filters
        if each.value()
    ]
    is_ignored = not asked.keys() <= _CHOOSE_NO_ROWS or any(each.unknown for each in filters)
    if is_ignored or not is_printable:
        chosen.append({"status__in": []})
    if not delivered_too:
        chosen.append({"status__in": _NOT_ARRIVED})
    lookups = {name: value for each in chosen for name, value in each.items()}
    if statuses := [each["status__in"] for each in chosen if "status__in" in each]:
        in_all = [status for status in statuses[0] if all(status in each for each in statuses)]
        lookups["status__in"] = in_all
    if ended := [each["ended_at__gte"] for each in chosen if "ended_at__gte" in each]:
        lookups["ended_at__gte"] = max(ended).isoformat()
    return lookups
