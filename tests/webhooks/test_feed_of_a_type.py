"""GET /v1/events?after=…&type=…: found by the entry's own type, in the order of the feed."""

from importlib import import_module
from typing import Any
from unittest.mock import Mock

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from merchants.models import Merchant
from tests.client import Api
from tests.webhooks.dispatching import emit_event
from webhooks.event_types import EventType
from webhooks.models import FeedEntry
from webhooks.numbering import number_events

PATH = "/v1/events"
FILLING = import_module("webhooks.migrations.0018_feed_of_a_type")


def test_no_other_event_is_read_and_none_is_counted(api: Api, merchant: Merchant) -> None:
    """Those of a type may lie millions of others apart."""
    for event_type in [EventType.PAYOUT_PAID] * 3 + [EventType.PAYMENT_COMPLETED]:
        emit_event(merchant, event_type)

    with CaptureQueriesContext(connection) as sent:
        page = api(merchant).get(PATH, {"after": "0", "type": "payout.paid", "limit": "1"}).json()

    read = [it["sql"] for it in sent.captured_queries if "webhooks_event" in it["sql"]]
    assert [event["sequence"] for event in page["events"]] == [1]
    assert (page["total"], page["has_more"]) == (2, True)
    assert '"webhooks_feedentry"."type" = ' in read[-1]
    assert not any("COUNT(" in sql or '"webhooks_event"."type" = ' in sql for sql in read)
    # Of both conditions PostgreSQL expects two rows, and sorts all events of the merchant.
    assert not any('"webhooks_event"."merchant_id" = ' in sql for sql in read)


def test_of_a_group_no_other_event_is_read_either(api: Api, merchant: Merchant) -> None:
    for event_type in (
        *(EventType.PAYOUT_PAID, EventType.PAYMENT_CREATED, EventType.PAYOUT_FAILED),
        *(EventType.PAYOUT_PAID, EventType.PAYOUT_CREATED),
    ):
        emit_event(merchant, event_type)

    with CaptureQueriesContext(connection) as sent:
        page = api(merchant).get(PATH, {"after": "0", "type": "payout.*", "limit": "3"}).json()

    read = [it["sql"] for it in sent.captured_queries if 'JOIN "webhooks_feedentry"' in it["sql"]]
    assert [event["sequence"] for event in page["events"]] == [1, 3, 4]
    assert page["has_more"] is True
    assert ['"webhooks_feedentry"."type" = ' in sql for sql in read] == [True] * 4
    last = api(merchant).get(PATH, {"after": "4", "type": "payout.*"}).json()
    assert [event["sequence"] for event in last["events"]] == [5]
    assert (last["total"], last["has_more"]) == (1, False)


def test_what_is_numbered_while_a_group_is_read_is_left_to_the_next_page(
    api: Api, merchant: Merchant
) -> None:
    """The page had #3, read last, and lacked #2, whose type was read before it was there."""
    emit_event(merchant, EventType.PAYOUT_PAID)
    number_events()
    written: list[EventType] = []

    def write_after_first(execute: Any, sql: str, *rest: Any) -> Any:
        result = execute(sql, *rest)
        if 'JOIN "webhooks_feedentry"' in sql and not written:
            written.extend((EventType.PAYOUT_CANCELED, EventType.PAYOUT_PAID))
            for event_type in tuple(written):
                emit_event(merchant, event_type)
            number_events()
        return result

    with connection.execute_wrapper(write_after_first):
        page = api(merchant).get(PATH, {"after": "0", "type": "payout.*"}).json()
    assert [event["sequence"] for event in page["events"]] == [1]

    page = api(merchant).get(PATH, {"after": "1", "type": "payout.*"}).json()
    assert [event["sequence"] for event in page["events"]] == [2, 3]


def test_between_dates_it_is_the_callers(api: Api, merchant: Merchant, stranger: Merchant) -> None:
    for shop in (stranger, merchant):
        emit_event(shop, EventType.PAYOUT_PAID)

    for dates, found in (({"start_date": "2000-01-01"}, [1]), ({"end_date": "2000-01-01"}, [])):
        page = api(merchant).get(PATH, {"after": "0", **dates}).json()
        assert [event["sequence"] for event in page["events"]] == found


def test_what_the_previous_release_numbers_has_its_type(merchant: Merchant) -> None:
    event = emit_event(merchant, EventType.PAYOUT_PAID)

    FeedEntry.objects.create(
        event=event, merchant=merchant, livemode=False, resource_id=event.resource_id, sequence=7
    )

    assert FeedEntry.objects.get().type == "payout.paid"


def test_what_was_numbered_before_gets_its_type(
    merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FILLING, "BATCH", 2)
    types = [EventType.PAYMENT_COMPLETED, EventType.PAYOUT_PAID, EventType.PAYMENT_COMPLETED]
    for event_type in types:
        emit_event(merchant, event_type)
    number_events()
    FeedEntry.objects.update(type=None)

    FILLING.add_types(Mock(), Mock(connection=connection))

    assert list(FeedEntry.objects.order_by("sequence").values_list("type", flat=True)) == types
