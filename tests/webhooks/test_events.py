"""Events: written with the fact, listed, read."""

import json
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from core.clock import iso, utc_now
from core.ids import is_id
from merchants.callers import Caller
from merchants.models import Merchant
from payments.models import Payment
from payments.statuses import PaymentStatus
from tests.client import Api
from tests.payments.journeys import bring_to
from tests.webhooks.conftest import MakeEndpoint
from tests.webhooks.dispatching import Thing, emit_event
from webhooks.counts import DELIVERIES, EVENTS
from webhooks.endpoints import create_webhook
from webhooks.event_types import SUBSCRIBABLE, EventType
from webhooks.models import Delivery, Event
from webhooks.outbox import Fact, emit, emit_all
from webhooks.samples import sample_of


def test_an_event_holds_the_exact_bytes(merchant: Merchant) -> None:
    at = utc_now()
    with transaction.atomic():
        event = emit(
            EventType.PAYMENT_CREATED,
            about=Thing(merchant.id),
            data={"payment_id": "pay_1", "amount": 5, "nothing": None, "created_at": at},
            now=at,
        )

    stored = Event.objects.get()
    assert (
        bytes(stored.body)
        == (
            f'{{"id":"{event.id}","type":"payment.created","created":"{iso(at)}",'
            f'"data":{{"payment_id":"pay_1","amount":5,"created_at":"{iso(at)}"}}}}'
        ).encode()
    )
    assert (stored.type, stored.resource_id) == ("payment.created", "pay_1")
    assert (stored.livemode, stored.is_test) == (False, False)


def test_events_of_one_request_are_listed_as_they_happened(
    api: Api, merchant: Merchant, payment: Payment
) -> None:
    """They have the same instant, and were listed by random ids."""
    bring_to(payment, PaymentStatus.COMPLETED)
    for _ in range(6):
        path = f"/v1/payments/{payment.id}/refund"
        assert api(merchant).post(path, {"amount": 1}).status_code == 201

    listed = api(merchant).get("/v1/events", {"limit": "18"}).json()["events"]

    told = ["payment.refunded", "refund.completed", "refund.created"]
    assert [event["type"] for event in listed] == told * 6
    assert [event["sequence"] for event in listed] == sorted(
        (event["sequence"] for event in listed), reverse=True
    )


def test_each_subscribed_endpoint_of_the_mode_gets_a_delivery(
    merchant: Merchant, stranger: Merchant, endpoint: MakeEndpoint
) -> None:
    subscribed = {endpoint(events=(p,)).id for p in ("*", "payment.*", "payment.completed")}
    for pattern in ("refund.*", "payment_link.*", "payment.failed"):
        endpoint(events=(pattern,))
    for caller in (
        Caller(merchant, livemode=True, actor="tests"),
        Caller(stranger, livemode=False, actor="tests"),
    ):
        create_webhook(
            caller=caller,
            url="https://shop.example.com/",
            events=["*"],
            description="",
            now=utc_now(),
        )

    event = emit_event(merchant)

    deliveries = Delivery.objects.all()
    assert {delivery.webhook_id for delivery in deliveries} == subscribed
    assert {delivery.event_id for delivery in deliveries} == {event.id}
    assert {delivery.status for delivery in deliveries} == {"pending"}


def test_an_event_costs_few_statements(
    merchant: Merchant, endpoint: MakeEndpoint, django_assert_num_queries
) -> None:
    def write() -> None:
        emit(EventType.PAYMENT_COMPLETED, about=Thing(merchant.id), data={}, now=utc_now())

    needed = 1 if connection.vendor == "postgresql" else 2
    with django_assert_num_queries(needed):
        write()
    for _ in range(5):
        endpoint()
    with django_assert_num_queries(needed):
        write()
    assert len(set(Delivery.objects.values_list("pk", flat=True))) == 5


def test_several_events_of_one_fact_are_written_together(
    merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    refunds, all_of_it = endpoint(events=("refund.*",)), endpoint(events=("*",))
    facts = [
        Fact(event_type, Thing(merchant.id), {})
        for event_type in (EventType.REFUND_CREATED, EventType.PAYMENT_REFUNDED)
    ]

    created, refunded = emit_all(*facts, now=utc_now())

    assert set(Delivery.objects.values_list("event", "webhook")) == {
        (created.id, refunds.id),
        (created.id, all_of_it.id),
        (refunded.id, all_of_it.id),
    }
    assert all(is_id("dlv", delivery.pk) for delivery in Delivery.objects.all())


def test_an_undone_fact_leaves_no_event(merchant: Merchant, endpoint: MakeEndpoint) -> None:
    endpoint()

    with transaction.atomic():
        emit_event(merchant)
        transaction.set_rollback(True)

    assert (Event.objects.count(), Delivery.objects.count()) == (0, 0)


@pytest.mark.django_db(transaction=True)
def test_an_event_belongs_to_a_transaction() -> None:
    with pytest.raises(transaction.TransactionManagementError):
        emit(EventType.PAYMENT_CREATED, about=Thing("mer_1"), data={}, now=utc_now())


def test_an_event_is_never_changed(merchant: Merchant) -> None:
    event = emit_event(merchant)

    for change in ({"body": b"{}"}, {"type": "payment.failed"}, {"livemode": True}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Event.objects.filter(pk=event.pk).update(**change)
    with pytest.raises(IntegrityError), transaction.atomic():
        replace_body(event)

    assert bytes(Event.objects.get().body) == bytes(event.body)


def replace_body(event: Event) -> None:
    """Try what SQLite has beside UPDATE; on PostgreSQL, a second row."""
    columns = "id, merchant_id, livemode, type, resource_id, is_test, created_at"
    verb = "INSERT" if connection.vendor == "postgresql" else "INSERT OR REPLACE"
    with connection.cursor() as cursor:
        cursor.execute(
            f"{verb} INTO webhooks_event ({columns}, body) SELECT {columns}, %s"
            " FROM webhooks_event WHERE id = %s",
            [b"{}", event.id],
        )


@pytest.mark.parametrize(
    ("patterns", "event_type", "expected"),
    [
        (["*"], "payout.paid", True),
        (["payment.*"], "payment.completed", True),
        (["payment.*"], "payment_link.created", False),
        (["payment.*"], "payment_link.payment.completed", False),
        (["payment_link.*"], "payment_link.payment.completed", True),
        (["payment.completed"], "payment.completed", True),
        (["payment.completed"], "payment_link.payment.completed", False),
        ([], "payment.completed", False),
    ],
)
def test_patterns(
    merchant: Merchant,
    endpoint: MakeEndpoint,
    patterns: list[str],
    event_type: str,
    expected: bool,
) -> None:
    endpoint(events=patterns)

    emit(EventType(event_type), about=Thing(merchant.id), data={}, now=utc_now())

    assert Delivery.objects.exists() is expected


def test_what_can_be_subscribed() -> None:
    groups = {"payment.*", "refund.*", "payout.*", "payment_link.*", "merchant.*", "inquiry.*"}

    assert set(SUBSCRIBABLE) == {"*"} | groups | set(EventType.values)


# Reading


def test_it_lists_events_newest_first(api: Api, merchant: Merchant, stranger: Merchant) -> None:
    events = [emit_event(merchant), emit_event(merchant, EventType.REFUND_CREATED)]
    emit_event(stranger)

    response = api(merchant).get("/v1/events")

    shown = response.json()["events"]
    assert response.status_code == 200
    assert sorted(item["id"] for item in shown) == sorted(event.id for event in events)
    assert [item["id"] for item in shown] == sorted((e.id for e in events), reverse=True)
    assert response.json()["total"] == 2
    assert api(merchant, live=True).get("/v1/events").json()["events"] == []


def test_it_shows_exactly_what_was_sent(api: Api, merchant: Merchant) -> None:
    event = emit_event(merchant)

    response = api(merchant).get(f"/v1/events/{event.id}")

    assert response.status_code == 200
    assert response.json() == json.loads(Event.objects.get(pk=event.pk).payload)
    assert response.json() == event.content | {"livemode": False, "test": False, "sequence": 1}
    assert response.json()["data"] == sample_of(EventType.PAYMENT_COMPLETED)


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"type": "payment.completed"}, 1),
        ({"type": "payout.paid"}, 0),
        ({"type": "payment.*"}, 1),
        ({"type": "refund.*", "start_date": "2020-01-01"}, 1),
        ({"type": "refund.*", "resource_id": "pay_2"}, 0),
        ({"type": "payout.*"}, 0),
        ({"resource_id": "pay_1"}, 2),
        ({"resource_id": "pay_2"}, 0),
        ({"start_date": "2020-01-01"}, 2),
        ({"end_date": "2020-01-01"}, 0),
    ],
)
def test_the_list_can_be_narrowed(
    api: Api, merchant: Merchant, query: dict[str, Any], count: int
) -> None:
    emit_event(merchant, about="pay_1")
    emit_event(merchant, EventType.REFUND_CREATED, about="pay_1")

    assert api(merchant).get("/v1/events", query).json()["total"] == count


@pytest.mark.parametrize("query", [{"type": "payment"}, {"start_date": "soon"}, {"limit": "0"}])
def test_an_unknown_filter_value_is_400(
    api: Api, merchant: Merchant, query: dict[str, str]
) -> None:
    response = api(merchant).get("/v1/events", query)

    assert (response.status_code, response.json()["code"]) == (400, "INVALID_REQUEST")


@pytest.mark.parametrize("who", ["stranger", "other mode", "unknown"])
def test_anothers_event_does_not_exist(
    api: Api, merchant: Merchant, stranger: Merchant, who: str
) -> None:
    event_id = "evt_unknown" if who == "unknown" else emit_event(merchant).id
    caller = api(stranger if who == "stranger" else merchant, live=who == "other mode")

    response = caller.get(f"/v1/events/{event_id}")

    assert (response.status_code, response.json()["code"]) == (404, "EVENT_NOT_FOUND")


def test_how_many_there_are_of_a_type_or_status_is_kept_and_not_counted() -> None:
    events, deliveries = Event.objects.none(), Delivery.objects.none()
    now = utc_now()

    assert EVENTS.total_parts(events, "mer_1", {"type": "payment.created"}, now=now)
    assert EVENTS.total_parts(events, "mer_1", {"type__in": ("payment.created",)}, now=now)
    assert DELIVERIES.total_parts(deliveries, "wh_1", {"status": "failed"}, now=now)
    assert not EVENTS.total_parts(events, "mer_1", {"resource_id": "pay_1"}, now=now)
