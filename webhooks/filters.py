"""How the lists of events and deliveries can be narrowed."""

from core.queries import created_before, created_from, exactly, one_of
from webhooks.event_types import EventType
from webhooks.statuses import DeliveryStatus

_DATES = {"start_date": created_from, "end_date": created_before}
_DATES_MEANING = {
    "start_date": "Created from this date or instant on.",
    "end_date": "Created before this instant, or until the end of this date.",
}

EVENT_READERS = {"type": one_of(EventType.values), "resource_id": exactly, **_DATES}
EVENT_FILTERS = {
    "type": f"One of {', '.join(EventType.values)}.",
    "resource_id": "The id of the payment, refund, link or payout that the event is about.",
    **_DATES_MEANING,
}

DELIVERY_READERS = {"status": one_of(DeliveryStatus.values), "event_id": exactly, **_DATES}
DELIVERY_FILTERS = {
    "status": f"One of {', '.join(DeliveryStatus.values)}.",
    "event_id": "The event that was sent.",
    **_DATES_MEANING,
}
