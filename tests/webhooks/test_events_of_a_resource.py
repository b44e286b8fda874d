"""GET /v1/events?type=payment.*: all types of a resource, as webhooks subscribe to them."""

import pytest

from merchants.models import Merchant
from tests.client import Api
from tests.webhooks.dispatching import emit_event
from webhooks.event_types import EventType


def test_the_types_of_a_resource_are_listed_together(api: Api, merchant: Merchant) -> None:
    """As a webhook subscribes to them: until now a reader named one type at a time."""
    emit_event(merchant, EventType.PAYMENT_LINK_CREATED)
    emit_event(merchant, EventType.PAYMENT_CREATED)
    emit_event(merchant, EventType.REFUND_CREATED)
    emit_event(merchant, EventType.PAYMENT_COMPLETED)

    listed = api(merchant).get("/v1/events", {"type": "payment.*"}).json()

    types = ["payment.completed", "payment.created"]
    assert [event["type"] for event in listed["events"]] == types
    assert (listed["total"], listed["has_more"]) == (2, False)
    first = api(merchant).get("/v1/events", {"type": "payment.*", "limit": "1"}).json()
    assert (first["total"], first["has_more"]) == (2, True)
    feed = api(merchant).get("/v1/events", {"type": "payment.*", "after": "2"}).json()
    assert [event["sequence"] for event in feed["events"]] == [4]


def test_a_page_of_a_feed_counts_no_more_than_it_reads(api: Api, merchant: Merchant) -> None:
    for event_type in (EventType.PAYMENT_CREATED, EventType.PAYMENT_COMPLETED) * 2:
        emit_event(merchant, event_type)

    asked = {"type": "payment.*", "after": "0", "limit": "2"}
    page = api(merchant).get("/v1/events", asked).json()

    assert [event["sequence"] for event in page["events"]] == [1, 2]
    assert (page["total"], page["has_more"]) == (3, True)


@pytest.mark.parametrize("unknown", ["*", "payment*", "payments.*", "payment_link.payment.*"])
def test_what_is_no_group_of_types_is_400(api: Api, merchant: Merchant, unknown: str) -> None:
    response = api(merchant).get("/v1/events", {"type": unknown})

    assert response.status_code == 400
    assert response.json()["details"].startswith("type: must be one of payment.*, refund.*, ")
