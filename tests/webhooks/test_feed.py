"""GET /v1/events?after=…: the feed, from which a shop can rebuild itself."""

import json
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import Any
from unittest import mock

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.clock import utc_now
from core.concurrency import CallerConcurrencyLimit, ConcurrencyLimitReached
from merchants.models import ApiKey, Merchant
from tests.client import Api
from tests.factories import PaymentFactory
from tests.refunds.refunding import sell
from tests.webhooks.dispatching import emit_event
from webhooks import feed
from webhooks.event_types import EventType
from webhooks.feed import MAX_WAIT_SECONDS
from webhooks.models import Event
from webhooks.waiting_slots import WAITING_PER_CALLER, feed_slots, outcome_slots

PATH = "/v1/events"


def numbers(shown: dict[str, Any]) -> list[int]:
    return [event["sequence"] for event in shown["events"]]


def test_it_goes_on_after_a_number_oldest_first(api: Api, merchant: Merchant) -> None:
    events = [emit_event(merchant) for _ in range(5)]

    first = api(merchant).get(PATH, {"after": "0", "limit": "3"}).json()
    then = api(merchant).get(PATH, {"after": "3", "limit": "3"}).json()

    assert [event["id"] for event in first["events"]] == [event.id for event in events[:3]]
    assert (numbers(first), numbers(then)) == ([1, 2, 3], [4, 5])
    assert (first["total"], first["has_more"]) == (5, True)
    assert (then["total"], then["has_more"]) == (2, False)
    assert api(merchant).get(PATH, {"after": "5"}).json()["events"] == []


def test_before_the_first_event_there_is_nothing_to_go_on_after(
    api: Api, merchant: Merchant
) -> None:
    refused = api(merchant).get(PATH, {"after": "1"})

    details = "after: must be at most 0, the number of the latest event"
    assert (refused.status_code, refused.json()["details"]) == (400, details)


def test_each_merchant_and_mode_has_numbers_of_its_own(
    api: Api, merchant: Merchant, stranger: Merchant
) -> None:
    emit_event(merchant)
    emit_event(stranger)
    emit_event(merchant, livemode=True)
    emit_event(merchant)

    assert numbers(api(merchant).get(PATH, {"after": "0"}).json()) == [1, 2]
    assert numbers(api(merchant, live=True).get(PATH, {"after": "0"}).json()) == [1]
    assert numbers(api(stranger).get(PATH, {"after": "0"}).json()) == [1]
    assert api(stranger).get(PATH, {"after": "2"}).status_code == 400
    assert api(merchant, live=True).get(PATH, {"after": "2"}).status_code == 400


def test_an_event_names_the_one_before_it_about_its_object(api: Api, merchant: Merchant) -> None:
    for about in ("pay_1", "pay_2", "pay_1", "pay_1", "pay_2"):
        emit_event(merchant, about=about)

    events = api(merchant).get(PATH, {"after": "0"}).json()["events"]

    assert [event.get("previous_sequence") for event in events] == [None, None, 1, 3, 2]


def test_what_one_act_causes_is_in_the_order_of_cause(api: Api, merchant: Merchant) -> None:
    payment = sell(merchant, 1_250)
    before = api(merchant).get(PATH).json()["total"]

    assert api(merchant).post(f"/v1/payments/{payment.id}/refund").status_code == 201

    shown = api(merchant).get(PATH, {"after": f"{before}"}).json()["events"]
    assert [event["type"] for event in shown] == [
        "refund.created",
        "refund.completed",
        "payment.refunded",
    ]
    assert [event.get("previous_sequence") for event in shown] == [None, before + 1, before]


def test_the_feed_shows_what_is_sent(api: Api, merchant: Merchant) -> None:
    event = emit_event(merchant, livemode=True)

    [shown] = api(merchant, live=True).get(PATH, {"after": "0"}).json()["events"]

    assert shown == json.loads(Event.objects.get(pk=event.pk).payload)
    assert (shown["livemode"], shown["test"], shown["sequence"]) == (True, False, 1)


@pytest.mark.parametrize(
    ("query", "expected"),
    [({"type": "refund.created"}, [2]), ({"resource_id": "pay_1"}, [1, 3]), ({"limit": "1"}, [1])],
)
def test_it_can_be_narrowed(
    api: Api, merchant: Merchant, query: dict[str, str], expected: list[int]
) -> None:
    emit_event(merchant, about="pay_1")
    emit_event(merchant, EventType.REFUND_CREATED)
    emit_event(merchant, about="pay_1")

    shown = api(merchant).get(PATH, {"after": "0"} | query).json()

    assert numbers(shown) == expected
    assert shown["total"] == (3 if "limit" in query else len(expected))


@pytest.mark.parametrize(
    ("query", "details"),
    [
        ({"after": "-1"}, "after: must be a whole number from 0"),
        ({"after": "2"}, "after: must be at most 1, the number of the latest event"),
        ({"after": "0", "offset": "1"}, "offset: does not go with after"),
        ({"after": "0", "starting_after": "evt_1"}, "starting_after: does not go with after"),
        ({"after": "0", "wait": "26"}, f"wait: must be at most {MAX_WAIT_SECONDS}"),
        ({"after": "0", "wait": "soon"}, "wait: must be a whole number from 0"),
        ({"wait": "5"}, "wait: needs after"),
    ],
)
def test_it_says_what_it_cannot_read(
    api: Api, merchant: Merchant, query: dict[str, str], details: str
) -> None:
    emit_event(merchant)

    response = api(merchant).get(PATH, query)

    assert (response.status_code, response.json()["details"]) == (400, details)


@pytest.mark.usefixtures("development")
def test_without_a_key_it_needs_a_merchant(api: Api) -> None:
    response = api().get(PATH, {"after": "0"})

    assert (response.status_code, response.json()["code"]) == (422, "VALIDATION_FAILED")


# Waiting


def test_what_is_there_is_not_waited_for(api: Api, merchant: Merchant) -> None:
    emit_event(merchant)

    response = api(merchant).get(PATH, {"after": "0", "wait": f"{MAX_WAIT_SECONDS}"})

    assert numbers(response.json()) == [1]
    assert "Retry-After" not in response


class Clock:
    """A clock that goes on only while someone sleeps; `then` happens after so many sleeps."""

    def __init__(self) -> None:
        self.slept = list[float]()
        self.then: dict[int, Callable[[], object]] = {}

    def monotonic(self) -> float:
        return sum(self.slept)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.then.get(len(self.slept), list)()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(feed, "time", made)
    return made


@pytest.mark.parametrize(
    ("asked", "slept"), [({}, []), ({"wait": "0"}, []), ({"wait": "2"}, [0.5] * 4)]
)
def test_a_wait_ends_without_news(
    api: Api,
    merchant: Merchant,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    asked: dict[str, str],
    slept: list[float],
) -> None:
    read = mock.Mock(side_effect=feed._page_after)
    monkeypatch.setattr(feed, "_page_after", read)

    response = api(merchant).get(PATH, {"after": "0"} | asked)

    assert (response.status_code, response.json()["events"]) == (200, [])
    assert "Retry-After" not in response
    assert (clock.slept, read.call_count) == (slept, 1)


def test_a_wait_ends_with_news(api: Api, merchant: Merchant, clock: Clock) -> None:
    clock.then[2] = lambda: emit_event(merchant)

    answer = api(merchant).get(PATH, {"after": "0", "wait": "20"})

    assert (numbers(answer.json()), clock.slept) == ([1], [0.5, 0.5])


@pytest.mark.parametrize(
    ("stop", "refusal"),
    [
        (lambda: ApiKey.objects.update(revoked_at=utc_now()), (401, "UNAUTHORIZED")),
        (lambda: Merchant.objects.update(status="suspended"), (422, "MERCHANT_INACTIVE")),
    ],
)
def test_a_wait_tells_nothing_more_once_its_live_key_has_ended(
    api: Api,
    merchant: Merchant,
    clock: Clock,
    stop: Callable[[], object],
    refusal: tuple[int, str],
) -> None:
    """A thief of the key read the next sale, up to 25 seconds after its owner had revoked it."""
    clock.then = {1: stop, 2: lambda: emit_event(merchant, livemode=True)}

    answer = api(merchant, live=True).get(PATH, {"after": "0", "wait": "20"})

    assert (answer.status_code, answer.json()["code"]) == refusal
    assert "events" not in answer.json()


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_wait_holds_no_connection(
    api: Api, merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[bool] = []

    def sleep(seconds: float) -> None:
        held.append(connection.connection is not None)
        emit_event(merchant)

    monkeypatch.setattr("webhooks.feed.time.sleep", sleep)
    answer = api(merchant).get(PATH, {"after": "0", "wait": "20"})

    assert (held, numbers(answer.json())) == ([False], [1])


def test_it_waits_for_what_it_asks_for(api: Api, merchant: Merchant, clock: Clock) -> None:
    emit_event(merchant)
    clock.then[1] = lambda: emit_event(merchant)

    query = {"after": "0", "type": "payout.paid", "wait": "1"}

    with CaptureQueriesContext(connection) as sent:
        assert api(merchant).get(PATH, query).json()["events"] == []
    assert clock.slept == [0.5, 0.5]
    pages = [it["sql"] for it in sent.captured_queries if '"sequence" > ' in it["sql"]]
    assert ['"sequence" > 0' in sql for sql in pages] == [True, False]  # what is new alone


def test_where_no_more_may_wait_it_answers_at_once(
    api: Api, merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webhooks.feed.feed_slots", CallerConcurrencyLimit(0, per_caller=1))
    started = time.monotonic()

    response = api(merchant).get(PATH, {"after": "0", "wait": f"{MAX_WAIT_SECONDS}"})

    assert time.monotonic() - started < MAX_WAIT_SECONDS
    assert (response.json()["events"], response["Retry-After"]) == ([], "2")


def test_a_half_of_the_threads_waits_at_most_and_of_those_for_the_feed_a_quarter() -> None:
    assert settings.WEB_THREADS == 8
    assert (slots_of(outcome_slots), slots_of(feed_slots)) == (4, 2)


def slots_of(limit: CallerConcurrencyLimit) -> int:
    """Hold slots until none is free, each two for another caller; return how many there were."""
    with ExitStack() as held, suppress(ConcurrencyLimitReached):
        for number in range(settings.WEB_THREADS):
            held.enter_context(limit.hold(f"mer_{number // WAITING_PER_CALLER}"))
        raise AssertionError("all threads may wait")
    return number


def test_payments_are_in_it_as_they_come(api: Api, merchant: Merchant) -> None:
    payment = PaymentFactory.create(merchant=merchant)
    api(merchant).post(f"/v1/payments/{payment.id}/cancel")

    [shown] = api(merchant).get(PATH, {"after": "0"}).json()["events"]

    assert (shown["type"], shown["data"]["payment_id"]) == ("payment.canceled", payment.id)
