"""When endpoints failed, and when they worked again: entries of timelines, newest first."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from backoffice.formats import age, link
from backoffice.page_parts import TimelineEntry
from backoffice.resource.page_urls import page_of
from backoffice.webhook_answer import attempts_in_a_row, host_of
from core.clock import request_now
from merchants.models import Merchant
from webhooks.endpoint_outages import outages_met
from webhooks.models import Delivery, EndpointOutage, Webhook
from webhooks.statuses import ALARM_AFTER, OutageEnd

_ENDED = {
    OutageEnd.ACCEPTED: ("accepts events again", "good"),
    OutageEnd.MOVED: ("has a new URL", "quiet"),
    OutageEnd.SWITCHED_ON: ("was switched on again", "quiet"),
}


def outages_of(row: Webhook | Merchant, most: int) -> Iterator[TimelineEntry]:
    """Yield when an endpoint, or those of a merchant, began to fail, and how that ended.

    A merchant's page shows only outages long enough for its owner to be told. That holds for those
    that last, too: the entry of a shorter one would disappear with its end. If the merchant was
    read by `with_endpoint_failures` and has none, no statement is sent.
    """
    if isinstance(row, Webhook):
        return _entries([row], row.outages.order_by("-until", "-pk")[:most], is_named=False)
    if not (getattr(row, "has_failing", True) or getattr(row, "has_outages", True)):
        return iter(())
    failing = Webhook.objects.failing().filter(
        merchant=row, failing_since__lte=request_now() - ALARM_AFTER
    )
    told = EndpointOutage.objects.filter(merchant=row).select_related("webhook")
    ended = told.order_by("-until", "-pk")
    return _entries(failing[:most], ended[:most])


def with_endpoint_failures(merchants: QuerySet[Merchant]) -> QuerySet[Merchant]:
    """Annotate merchants with whether an endpoint of theirs fails, or has failed for minutes."""
    failing = Webhook.objects.failing().filter(merchant=OuterRef("pk"))
    ended = EndpointOutage.objects.filter(merchant=OuterRef("pk"))
    return merchants.annotate(has_failing=Exists(failing), has_outages=Exists(ended))


def outages_met_by(deliveries: Iterable[Delivery], most: int) -> Iterator[TimelineEntry]:
    """Yield the outages in which one of these deliveries waited or waits."""
    rows = list(deliveries)
    failing = {row.webhook_id: row.webhook for row in rows if _meets_present_outage(row)}
    return _entries(failing.values(), outages_met(rows, most=most, now=request_now()))


def _meets_present_outage(delivery: Delivery) -> bool:
    """Return whether a delivery waits or was given up in the outage that its endpoint is in."""
    since, ended_at = delivery.webhook.failing_since, delivery.ended_at
    return since is not None and (ended_at is None or ended_at > since)


def _entries(
    endpoints: Iterable[Webhook], ended: Iterable[EndpointOutage], *, is_named: bool = True
) -> Iterator[TimelineEntry]:
    for webhook in endpoints:
        if webhook.failing_since is not None:
            yield _began(webhook, webhook.failing_since, is_named=is_named)
    for outage in ended:
        yield _ended(outage, is_named=is_named)
        yield _began(outage.webhook, outage.since, is_named=is_named)


def _began(webhook: Webhook, at: datetime, *, is_named: bool) -> TimelineEntry:
    title = _title(webhook, "began to fail", is_named=is_named)
    return TimelineEntry(at, "webhook", title, tone="bad")


def _ended(outage: EndpointOutage, *, is_named: bool) -> TimelineEntry:
    words, tone = _ENDED[OutageEnd(outage.ended_by)]
    title = _title(outage.webhook, words, is_named=is_named)
    attempts, lasted = attempts_in_a_row(outage.failures), age(outage.since, outage.until)
    told = f"{attempts} had failed, for {lasted}. {outage.last_error}".strip()
    return TimelineEntry(outage.until, "webhook", title, details=(told,), tone=tone)


def _title(webhook: Webhook, words: str, *, is_named: bool) -> Any:
    return link(f"{host_of(webhook.url)} {words}", page_of(webhook)) if is_named else f"It {words}"
