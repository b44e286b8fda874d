"""How the lists of events and deliveries can be narrowed."""

from core.prepared import Choice
from core.queries import CREATED, Filter, Lookups, exactly, one_of, read_elsewhere
from webhooks.event_types import GROUPS, EventType, covered_by
from webhooks.feed import MAX_WAIT_SECONDS
from webhooks.statuses import DeliveryStatus

TYPE_OR_GROUP = one_of((*GROUPS, *EventType.values))


def _types(name: str, text: str) -> Lookups:
    """Read one type, or a group such as `payment.*` as its types. Raises InvalidRequest."""
    if text in GROUPS:
        return {f"{name}__in": sorted(map(Choice, covered_by([text])))}
    return TYPE_OR_GROUP.read(name, text)


EVENT_FILTERS = {
    "type": Filter(
        "One type of event, or all of one resource: `payment.*`.", _types, TYPE_OR_GROUP.schema
    ),
    "resource_id": exactly(
        "The id of the payment, refund, inquiry, payout, link or merchant that the event is about."
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
