"""GET /v1/events?type=payment.*: all types of a resource, as webhooks subscribe to them."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

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


def test_its_pages_are_in_the_order_of_the_list(api: Api, merchant: Merchant) -> None:
    payment, other = EventType.PAYMENT_CREATED, EventType.PAYMENT_COMPLETED
    kinds = [payment, other, payment, payment, EventType.REFUND_CREATED, other, payment]
    written = [emit_event(merchant, kind).id for kind in kinds]
    del written[4]
    caller, query = api(merchant), {"type": "payment.*", "limit": "2"}

    pages = [caller.get("/v1/events", query).json()]
    while pages[-1]["has_more"]:
        last = pages[-1]["events"][-1]["id"]
        pages.append(caller.get("/v1/events", query | {"starting_after": last}).json())

    assert [event["id"] for page in pages for event in page["events"]] == written[::-1]
    assert [page["total"] for page in pages] == [6, 6, 6]
    skipped = caller.get("/v1/events", query | {"offset": "1"}).json()
    assert [event["id"] for event in skipped["events"]] == written[-2:-4:-1]


def test_a_page_of_one_type_alone_tells_that_more_follow(api: Api, merchant: Merchant) -> None:
    written = [emit_event(merchant, EventType.PAYMENT_CREATED).id for _ in range(5)]
    query = {"type": "payment.*", "limit": "2", "starting_after": written[-1]}

    page = api(merchant).get("/v1/events", query).json()

    assert [event["id"] for event in page["events"]] == written[-2:-4:-1]
    assert page["has_more"] is True


def test_its_other_filters_narrow_each_of_its_types(api: Api, merchant: Merchant) -> None:
    about = "pay_1"
    for other in (EventType.PAYMENT_CREATED, EventType.PAYMENT_COMPLETED):
        emit_event(merchant, other)
    written = [emit_event(merchant, EventType.PAYMENT_CREATED, about=about).id for _ in range(2)]
    caller, query = api(merchant), {"type": "payment.*", "resource_id": about}

    first = caller.get("/v1/events", query).json()
    rest = caller.get("/v1/events", query | {"starting_after": written[1]}).json()

    assert [event["id"] for event in first["events"]] == written[::-1]
    assert [event["id"] for event in rest["events"]] == written[:1]


def test_each_type_is_looked_for_in_its_own_index(api: Api, merchant: Merchant) -> None:
    """For those of a merchant without any, PostgreSQL walked through all other events."""
    first = emit_event(merchant, EventType.REFUND_CREATED).id
    emit_event(merchant, EventType.REFUND_COMPLETED)
    caller = api(merchant)

    with CaptureQueriesContext(connection) as queries:
        caller.get("/v1/events", {"type": "refund.*"})
        caller.get("/v1/events", {"type": "refund.*", "starting_after": first})

    lists = [it["sql"] for it in queries if re.search("ORDER BY .*created_at", it["sql"])]
    assert len(lists) == 6
    assert all('"webhooks_event"."type" = ' in sql for sql in lists)


@pytest.mark.parametrize("unknown", ["*", "payment*", "payments.*", "payment_link.payment.*"])
def test_what_is_no_group_of_types_is_400(api: Api, merchant: Merchant, unknown: str) -> None:
    response = api(merchant).get("/v1/events", {"type": unknown})

    assert response.status_code == 400
    assert response.json()["details"].startswith("type: must be one of payment.*, refund.*, ")
