"""The deliveries to an endpoint as a list: its total and far pages come from kept counts."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from core.far_pages import FAR, skip_newer
from core.pagination import Total, in_order, older_than
from core.prepared import planned_by_values
from core.queries import Lookups
from webhooks.counts import DELIVERIES
from webhooks.models import Delivery, Webhook


@dataclass(frozen=True)
class DeliveryLog:
    """The deliveries to an endpoint that match the look-ups, each with its attempts."""

    webhook: Webhook
    lookups: Lookups
    now: datetime

    def queryset(self) -> QuerySet[Any]:
        return Delivery.objects.with_log().filter(webhook=self.webhook, **self.lookups)

    def parts(self) -> list[QuerySet[Any]]:
        return [self.queryset()]

    def far_page(self, offset: int, after: Any) -> tuple[QuerySet[Any], int]:
        """Return the rows that follow `after`, if given, and an offset among them.

        Most that come before a far one are left out.
        """
        rows = self.queryset()
        if after is not None:
            rows = rows.filter(older_than(after))
        if offset < FAR or not DELIVERIES.days_add_up(self.lookups):
            return rows, offset
        key = DELIVERIES.key_for(self.webhook.id, self.lookups, livemode=False)
        return skip_newer(rows, key, offset, self.now, after)

    def first_page(self, limit: int) -> tuple[list[Any], Total]:
        """Return the newest rows."""
        with planned_by_values():
            return list(in_order(self.queryset())[:limit]), self.total

    def total(self) -> int:
        """Return how many deliveries there are in all."""
        own = Delivery.objects.filter(webhook=self.webhook)
        kept = DELIVERIES.total_of(own, self.webhook.id, self.lookups, now=self.now)
        return own.filter(**self.lookups).count() if kept is None else kept()
