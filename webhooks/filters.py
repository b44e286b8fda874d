"""How the lists of events and deliveries can be narrowed."""

from core.queries import CREATED, Filter, exactly, one_of
from webhooks.event_types import EventType
from webhooks.statuses import DeliveryStatus

EVENT_FILTERS = {
    "type": one_of(EventType.values),
    "resource_id": exactly(
        "The id of the payment, refund, link or payout that the event is about."
    ),
    **CREATED,
}
# Not look-ups: `webhooks.feed` reads them.
FEED_PARAMETERS = {
    "after": Filter(
        "The `sequence` after which to go on, from 0; then the oldest come first.",
        lambda name, text: {},
    ),
    "wait": Filter(
        "With `after`: wait so many seconds for news where there is none yet; 25 at most.",
        lambda name, text: {},
    ),
}
DELIVERY_FILTERS = {
    "status": one_of(DeliveryStatus.values),
    "event_id": exactly("The event that was sent."),
    **CREATED,
}
