"""The lists whose `total` is kept by triggers: each by its path."""

COUNTED_LISTS: list[str] = [
    "payments.counts.PAYMENTS",
    "refunds.counts.REFUNDS",
    "links.counts.LINKS",
    "webhooks.counts.EVENTS",
    "webhooks.counts.DELIVERIES",
]
