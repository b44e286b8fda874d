"""Each due delivery is leased by one process at a time, and by none for ever."""

import time
from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from core.clock import utc_now
from core.database_clock import database_now
from merchants.callers import Caller
from merchants.models import Merchant
from outbound.results import HttpResult
from tests.factories import MerchantFactory
from tests.races import at_once
from tests.webhooks.conftest import MakeEndpoint
from tests.webhooks.dispatching import MANY, emit_event, only_delivery, send_due
from tests.webhooks.receiver import Receiver
from webhooks.delivery.attempts import attempt_and_record
from webhooks.delivery.leases import (
    LEASE_IN_DEADLINES,
    Claim,
    claim_delivery,
    claim_due_deliveries,
    release,
)
from webhooks.delivery.outcomes import PAUSE_FROM_FAILURES, record_result
from webhooks.endpoints import create_webhook
from webhooks.models import Attempt, Delivery, Event, Webhook
from webhooks.numbering import number_events
from webhooks.statuses import DeliveryStatus

WAIT_SECONDS = 120  # where others have the machine
OK = HttpResult(ms=5, status=200)
BROKEN = HttpResult(ms=5, status=500, error="Answered 500.")


def claim(at: datetime | None = None) -> list[Claim]:
    return claim_due_deliveries(free=MANY, now=at or database_now()).taken


def test_what_is_claimed_is_no_one_elses(merchant: Merchant, endpoint: MakeEndpoint) -> None:
    endpoint()
    emit_event(merchant)

    assert len(claim()) == 1
    assert claim() == []


def test_what_waits_for_later_is_not_claimed_beside_what_is_due(
    merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    endpoint()
    Webhook.objects.update(last_success_at=utc_now())
    due, later = emit_event(merchant), emit_event(merchant)
    in_an_hour = database_now() + timedelta(hours=1)
    later.deliveries.update(next_attempt_at=in_an_hour, attempt_count=1, round_attempts=1)

    assert [each.delivery.event_id for each in claim()] == [due.pk]


def test_what_has_ended_is_not_claimed(merchant: Merchant, endpoint: MakeEndpoint) -> None:
    endpoint()
    emit_event(merchant)
    [taken] = claim()
    record_result(taken, OK)

    assert claim_delivery(taken.delivery.pk, now=database_now()) is None


def test_a_lease_runs_out(
    merchant: Merchant, endpoint: MakeEndpoint, receiver: Receiver, settings
) -> None:
    webhook = endpoint()
    event = emit_event(merchant)
    lost = claim()
    lease = timedelta(seconds=LEASE_IN_DEADLINES * settings.WEBHOOK_TIMEOUT_SECONDS)

    assert send_due(lost[0].at + lease - timedelta(seconds=1)) == 0
    assert send_due(lost[0].at + lease) == 1

    assert receiver.received(webhook.url)[0].body == Event.objects.get(pk=event.pk).payload
    assert only_delivery(webhook).status == DeliveryStatus.DELIVERED


def test_a_result_that_comes_too_late_changes_nothing(
    merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook = endpoint()
    emit_event(merchant)
    [late] = claim()
    [present] = claim(late.at + timedelta(minutes=5))

    record_result(late, BROKEN)
    assert only_delivery(webhook).lease_token == present.token
    record_result(present, OK)
    record_result(late, BROKEN)

    assert only_delivery(webhook).status == DeliveryStatus.DELIVERED
    assert [(a.number, a.status) for a in Attempt.objects.order_by("number")] == [
        (1, 500),
        (2, 200),
    ]


def test_a_result_recorded_twice_is_one_attempt(merchant: Merchant, endpoint: MakeEndpoint) -> None:
    webhook = endpoint()
    emit_event(merchant)
    [held] = claim()

    record_result(held, OK)
    record_result(held, OK)

    assert Attempt.objects.count() == 1
    assert only_delivery(webhook).status == DeliveryStatus.DELIVERED


@pytest.mark.sqlite
def test_on_a_full_second_it_is_due_like_at_any_other_time(
    merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    with time_machine.travel(datetime(2026, 1, 1, 12, tzinfo=UTC), tick=False):
        endpoint()
        emit_event(merchant)

        assert len(claim()) == 1


def test_a_claim_given_back_was_no_attempt(merchant: Merchant, endpoint: MakeEndpoint) -> None:
    webhook = endpoint()
    emit_event(merchant)
    [held] = claim()

    release(held)

    delivery = only_delivery(webhook)
    assert (delivery.attempt_count, delivery.round_attempts, delivery.lease_token) == (0, 0, "")
    assert send_due() == 1


def test_a_crash_in_the_last_attempt_is_not_the_end(
    merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook = endpoint("/say/200")
    emit_event(merchant)
    at = database_now()
    for crash in range(6):
        assert len(claim(at + timedelta(minutes=crash))) == 1

    assert send_due(at + timedelta(minutes=7)) == 1

    assert only_delivery(webhook).status == DeliveryStatus.DELIVERED


def test_no_more_than_four_are_under_way_to_one_endpoint(
    merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook = endpoint()
    for _ in range(10):
        emit_event(merchant)

    assert [len(claim()), len(claim())] == [1, 0]  # it has never answered yet
    record_result(_held(webhook)[0], OK)
    assert [len(claim()), len(claim())] == [4, 0]
    record_result(_held(webhook)[0], OK)
    assert [len(claim()), len(claim())] == [1, 0]


def _held(webhook: Webhook) -> list[Claim]:
    rows = Delivery.objects.select_related("event", "webhook").exclude(lease_token="")
    return [Claim(row, row.lease_token, utc_now(), None) for row in rows.filter(webhook=webhook)]  # type: ignore[arg-type]


def test_after_many_failures_it_is_left_alone_for_a_while(
    merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook = endpoint("/say/500")
    for _ in range(PAUSE_FROM_FAILURES + 5):
        emit_event(merchant)
    at = database_now()

    made = sum(send_due(at) for _ in range(PAUSE_FROM_FAILURES + 5))

    assert made == PAUSE_FROM_FAILURES
    webhook.refresh_from_db()
    assert webhook.paused_until is not None
    last = Attempt.objects.order_by("attempted_at", "pk").last()
    assert last is not None
    ended_at = last.attempted_at + timedelta(milliseconds=last.ms)
    assert webhook.paused_until == ended_at + timedelta(seconds=30)
    assert send_due(webhook.paused_until - timedelta(seconds=1)) == 0
    assert send_due(webhook.paused_until) == 1


def test_one_success_ends_the_pause(merchant: Merchant, endpoint: MakeEndpoint) -> None:
    webhook = endpoint("/say/" + ",".join(["500"] * PAUSE_FROM_FAILURES + ["200"]))
    for _ in range(PAUSE_FROM_FAILURES + 6):
        emit_event(merchant)
    at = database_now()
    for _ in range(PAUSE_FROM_FAILURES):
        send_due(at)

    webhook.refresh_from_db()
    later = webhook.paused_until

    assert send_due(later) == 1
    assert send_due(later) == 4

    webhook.refresh_from_db()
    assert (webhook.failures, webhook.paused_until) == (0, None)


def test_looking_costs_little_beside_thousands_that_wait(
    merchant: Merchant, endpoint: MakeEndpoint, django_assert_num_queries
) -> None:
    busy, quiet = endpoint("/say/500"), endpoint()
    event = emit_event(merchant)
    Delivery.objects.all().delete()
    instant = database_now()
    rows = [
        Delivery(
            id=f"dlv_{n:05}",
            event=_copy(event, n),
            webhook=busy,
            next_attempt_at=instant,
            created_at=instant,
        )
        for n in range(300)
    ]
    Delivery.objects.bulk_create(rows)
    emit_event(merchant)
    number_events()
    at = database_now()

    with django_assert_num_queries(11):
        claims = claim_due_deliveries(free=MANY, now=at)

    assert {claim.delivery.webhook_id for claim in claims.taken} == {busy.id, quiet.id}


def _copy(event, number: int):
    event.pk = f"evt_{number:05}"
    event._state.adding = True
    event.save(force_insert=True)
    return event


@pytest.mark.slow
@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_many_senders_at_once_claim_each_delivery_once(receiver: Receiver) -> None:
    merchant = MerchantFactory.create()
    caller = Caller(merchant, livemode=False, actor="tests")
    for number in range(20):
        create_webhook(
            caller=caller,
            url=receiver.url(f"/say/200/race{number}"),
            events=["*"],
            description="",
            now=utc_now(),
        )
    Webhook.objects.update(last_success_at=utc_now())
    for _ in range(10):
        emit_event(merchant)

    def sender() -> list[str]:
        claimed: list[str] = []
        deadline = time.monotonic() + WAIT_SECONDS
        while Delivery.objects.pending().exists() and time.monotonic() < deadline:
            most = max(
                Delivery.objects.exclude(lease_token="").filter(webhook=webhook).count()
                for webhook in Webhook.objects.all()[:5]
            )
            assert most <= 4
            for held in claim():
                claimed.append(held.delivery.id)
                attempt_and_record(held)
        return claimed

    results = at_once([sender] * 5)

    assert not [result for result in results if isinstance(result, Exception)]
    claimed = [item for result in results for item in result]  # type: ignore[union-attr]
    assert len(claimed) == 200
    assert len(set(claimed)) == 200
    assert set(Delivery.objects.values_list("status", flat=True)) == {DeliveryStatus.DELIVERED}
