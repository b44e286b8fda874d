"""How the lists of events and deliveries can be narrowed."""

from core.queries import CREATED, exactly, one_of, read_elsewhere
from webhooks.event_types import EventType
from webhooks.feed import MAX_WAIT_SECONDS
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
    "after": read_elsewhere(
        "Return events after this `sequence`, oldest first; 0 starts from the beginning. With a"
        " filter, `total` says only whether more follow than are on the page.",
        {"type": "integer", "minimum": 0},
    ),
    "wait": read_elsewhere(
        "With `after`: how many seconds to wait for new events if there are none yet;"
        " [[wait_most]] at most.",
        {"type": "integer", "minimum": 0, "maximum": MAX_WAIT_SECONDS, "default": 0},
    ),
}
DELIVERY_FILTERS = {
    "status": one_of(DeliveryStatus.values),
    "event_id": exactly("The event that was sent."),
    **CREATED,
}
