"""How the lists of events and deliveries can be narrowed."""

from core.queries import CREATED, exactly, one_of
from webhooks.event_types import EventType
from webhooks.statuses import DeliveryStatus

EVENT_FILTERS = {
    "type": one_of(EventType.values),
    "resource_id": exactly(
        "The id of the payment, refund, link or payout that the event is about."
    ),
    **CREATED,
}
DELIVERY_FILTERS = {
    "status": one_of(DeliveryStatus.values),
    "event_id": exactly("The event that was sent."),
    **CREATED,
}
