"""GET /v1/events?after=…&start_date=…: only what was numbered around the dates is read."""

from datetime import datetime, timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from core.clock import iso, utc_now
from core.ids import new_id
from merchants.models import Merchant
from tests.client import Api
from tests.webhooks.dispatching import Thing
from webhooks import feed
from webhooks.event_types import EventType
from webhooks.models import FeedEntry
from webhooks.outbox import emit
from webhooks.samples import sample_of

PATH = "/v1/events"
TODAY = utc_now().replace(hour=12)


@pytest.fixture(autouse=True)
def _nothing_is_near(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "NEAR", 0)


def _happens(merchant: Merchant, *, at: datetime) -> None:
    with transaction.atomic():
        about = Thing(merchant.id, livemode=False, id=new_id("pay", at))
        data = sample_of(EventType.PAYMENT_COMPLETED)
        emit(EventType.PAYMENT_COMPLETED, about=about, data=data, now=at)


def _numbers(api: Api, merchant: Merchant, **query: str) -> list[int]:
    page = api(merchant).get(PATH, {"after": "0", **query}).json()
    return [event["sequence"] for event in page["events"]]


def test_between_dates_only_events_around_them_are_read(
    api: Api, merchant: Merchant, stranger: Merchant
) -> None:
    """One that began the feed on a day long past it read all of the shop's events before it."""
    for days in (9, 8, 8, 5, 5, 2, 1):
        _happens(merchant, at=TODAY - timedelta(days=days))
    for days in (7, 6, 6, 6, 6, 6, 3, 3, 3):  # nearer to the day, and with other numbers
        _happens(stranger, at=TODAY - timedelta(days=days))
    day = (TODAY - timedelta(days=5)).date().isoformat()

    with CaptureQueriesContext(connection) as sent:
        numbers = _numbers(api, merchant, start_date=day, end_date=day)

    assert numbers == [4, 5]
    read = [
        it["sql"] for it in sent.captured_queries if 'ORDER BY "webhooks_feedentry"' in it["sql"]
    ]
    assert '"webhooks_feedentry"."sequence" > 3' in read[-1]
    assert '"webhooks_feedentry"."sequence" <= 6' in read[-1]


def test_an_event_without_a_number_narrows_nothing_down(api: Api, merchant: Merchant) -> None:
    """Its number is still to come, and that of the next one is looked for."""
    for days in (9, 7, 5, 3, 1):
        _happens(merchant, at=TODAY - timedelta(days=days))
    day = (TODAY - timedelta(days=5)).date().isoformat()
    assert _numbers(api, merchant, start_date=day, end_date=day) == [3]
    FeedEntry.objects.filter(sequence__in=[2, 4]).delete()

    with CaptureQueriesContext(connection) as sent:
        assert _numbers(api, merchant, start_date=day, end_date=day) == [3]

    read = [
        it["sql"] for it in sent.captured_queries if 'ORDER BY "webhooks_feedentry"' in it["sql"]
    ]
    assert '"webhooks_feedentry"."sequence" > 1' in read[-1]
    assert '"webhooks_feedentry"."sequence" <= 5' in read[-1]


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        ({"start_date": "2000-01-01"}, [1, 2, 3]),
        ({"end_date": "2000-01-01"}, []),
        ({"start_date": "2999-01-01"}, []),
        ({"end_date": "2999-01-01"}, [1, 2, 3]),
        ({"start_date": "2000-01-01", "after": "2"}, [3]),
        ({"end_date": "2999-01-01", "type": "payment.*"}, [1, 2, 3]),
    ],
)
def test_dates_beyond_all_events_leave_none_out(
    api: Api, merchant: Merchant, query: dict[str, str], numbers: list[int]
) -> None:
    for days in (3, 2, 1):
        _happens(merchant, at=TODAY - timedelta(days=days))

    assert _numbers(api, merchant, **query) == numbers


def test_what_was_numbered_in_another_order_is_found(api: Api, merchant: Merchant) -> None:
    """A number is assigned when an event is committed, not when it happened."""
    noon = TODAY - timedelta(days=1)
    for minutes in (-15, 1, -9, 0, 11, 9):
        _happens(merchant, at=noon + timedelta(minutes=minutes))

    assert _numbers(api, merchant, start_date=iso(noon)) == [2, 4, 5, 6]
    until = iso(noon + timedelta(minutes=10))
    assert _numbers(api, merchant, end_date=until) == [1, 2, 3, 4, 6]


def test_nothing_is_looked_up_where_few_numbers_lie_ahead(
    api: Api, merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that follows the feed asks often, and each time finds a few events or none."""
    for days in (4, 3, 2, 1):
        _happens(merchant, at=TODAY - timedelta(days=days))
    query = {"start_date": "2000-01-01", "end_date": "2999-01-01", "after": "1"}
    assert _numbers(api, merchant, **query) == [2, 3, 4]
    sent: list[int] = []
    for near in (3, 2):
        monkeypatch.setattr(feed, "NEAR", near)
        with CaptureQueriesContext(connection) as captured:
            _numbers(api, merchant, **query)
        sent.append(len(captured))

    assert sent == [sent[1] - 2, sent[1]]
