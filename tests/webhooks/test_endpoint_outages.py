"""An outage of an endpoint is stored when it ends, in the transaction that records why."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.clock import utc_now
from core.database_clock import database_now
from core.retention import PERIODS
from merchants.callers import Caller
from merchants.models import Merchant
from outbound.results import HttpResult
from tests.races import held_up
from tests.webhooks.conftest import MakeEndpoint
from tests.webhooks.dispatching import MANY, emit_event
from webhooks.delivery.leases import claim_delivery, claim_due_deliveries
from webhooks.delivery.outcomes import record_result
from webhooks.endpoint_outages import STORED_FROM, outages_met
from webhooks.endpoints import update_webhook
from webhooks.models import Delivery, EndpointOutage, Webhook
from webhooks.statuses import DisabledReason, OutageEnd
from webhooks.tasks import forget_deliveries

pytestmark = pytest.mark.django_db
REFUSED, ACCEPTED = HttpResult(ms=5, error="Connection refused."), HttpResult(ms=5, status=200)
HOUR = timedelta(hours=1)


def attempted(merchant: Merchant, result: HttpResult) -> None:
    emit_event(merchant)
    [claim] = claim_due_deliveries(free=MANY, now=database_now()).taken
    record_result(claim, result)


@pytest.fixture
def failing(merchant: Merchant, endpoint: MakeEndpoint) -> Webhook:
    """An endpoint that has failed for an hour, twice."""
    webhook = endpoint()
    attempted(merchant, HttpResult(ms=5, status=503))
    Webhook.objects.update(failing_since=database_now() - HOUR)
    attempted(merchant, REFUSED)
    webhook.refresh_from_db()
    return webhook


def changed(webhook: Webhook, **changes: Any) -> None:
    caller = Caller(webhook.merchant, livemode=webhook.livemode, actor="tests")
    update_webhook(caller=caller, webhook_id=webhook.pk, changes=changes, now=utc_now())


def test_a_success_stores_what_it_ends(merchant: Merchant, failing: Webhook) -> None:
    assert not EndpointOutage.objects.exists()

    attempted(merchant, ACCEPTED)
    ended_at = Delivery.objects.exclude(ended_at=None).get().ended_at
    attempted(merchant, ACCEPTED)

    outage = EndpointOutage.objects.get()
    assert (outage.webhook, outage.since) == (failing, failing.failing_since)
    assert (outage.failures, outage.last_error) == (2, "Connection refused.")
    assert outage.ended_by == OutageEnd.ACCEPTED
    assert outage.until == ended_at
    assert not Webhook.objects.failing().exists()


def test_an_outage_is_stored_with_its_success_or_not_at_all(
    merchant: Merchant, failing: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_off(*_: object) -> bool:
        raise ConnectionError

    monkeypatch.setattr("webhooks.delivery.outcomes._close", break_off)
    with pytest.raises(ConnectionError):
        attempted(merchant, ACCEPTED)

    assert not EndpointOutage.objects.exists()
    assert Webhook.objects.failing().exists()


@pytest.mark.parametrize(("seconds", "stored"), [(-1, 0), (1, 1)])
def test_a_refusal_among_successes_is_no_outage(
    merchant: Merchant, endpoint: MakeEndpoint, seconds: int, stored: int
) -> None:
    endpoint()
    attempted(merchant, REFUSED)
    lasted = STORED_FROM + timedelta(seconds=seconds)
    Webhook.objects.update(failing_since=database_now() - lasted)

    attempted(merchant, ACCEPTED)

    assert EndpointOutage.objects.count() == stored
    assert not Webhook.objects.failing().exists()


@pytest.mark.parametrize(
    ("is_active", "changes", "ended_by"),
    [
        (True, {"url": "https://new.example.com/hook"}, [OutageEnd.MOVED]),
        (False, {"is_active": True}, [OutageEnd.SWITCHED_ON]),
        (False, {"is_active": True, "url": "https://new.example.com/"}, [OutageEnd.MOVED]),
        (True, {"is_active": True, "description": "Till"}, []),
        (True, {"is_active": False}, []),
        (False, {"description": "Till"}, []),
    ],
)
def test_an_outage_ends_as_its_record_is_reset(
    failing: Webhook, is_active: bool, changes: dict[str, Any], ended_by: list[OutageEnd]
) -> None:
    reason = "" if is_active else DisabledReason.FAILING
    Webhook.objects.update(is_active=is_active, disabled_reason=reason)

    changed(failing, **changes)

    assert [outage.ended_by for outage in EndpointOutage.objects.all()] == ended_by
    assert Webhook.objects.filter(failing_since=None).exists() is bool(ended_by)


def test_an_endpoint_that_works_costs_no_statement_for_outages(
    merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    endpoint()
    attempted(merchant, ACCEPTED)
    emit_event(merchant)
    [claim] = claim_due_deliveries(free=MANY, now=database_now()).taken

    with CaptureQueriesContext(connection) as statements:
        record_result(claim, ACCEPTED)

    sent = [str(query["sql"]) for query in statements.captured_queries]
    assert not [text for text in sent if "outage" in text or text.startswith("SELECT")]


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_successes_at_once_store_one_outage(merchant: Merchant, failing: Webhook) -> None:
    claims = [
        claim_delivery(emit_event(merchant).deliveries.get().pk, now=database_now())
        for _ in range(2)
    ]
    first, second = [partial(record_result, claim, ACCEPTED) for claim in claims if claim]

    assert held_up(first, second) is None

    assert EndpointOutage.objects.get().failures == 2


def outage_of(webhook: Webhook, since: datetime, until: datetime) -> EndpointOutage:
    return EndpointOutage.objects.create(
        webhook=webhook, since=since, until=until, failures=1, ended_by=OutageEnd.ACCEPTED
    )


MakeDelivery = Callable[[int, int | None], Delivery]


@pytest.fixture
def delivery(endpoint: MakeEndpoint, merchant: Merchant) -> MakeDelivery:
    """Make a delivery between two minutes; its endpoint failed from the tenth to the twentieth."""
    noon, webhook = utc_now().replace(hour=12, minute=0), endpoint()
    outage_of(webhook, noon + timedelta(minutes=10), noon + timedelta(minutes=20))

    def make(begun: int, ended: int | None) -> Delivery:
        emit_event(merchant)
        row = Delivery.objects.get()
        row.created_at = noon + timedelta(minutes=begun)
        row.ended_at = None if ended is None else noon + timedelta(minutes=ended)
        return row

    return make


@pytest.mark.parametrize(
    ("begun", "ended", "has_waited"),
    [
        *((5, 15, True), (15, 20, True), (19, None, True), (12, 13, True), (5, 25, True)),
        *((5, 9, False), (5, 10, False), (20, 21, False), (21, None, False)),
    ],
)
def test_a_delivery_met_an_outage_if_it_was_on_its_way_then(
    delivery: MakeDelivery, begun: int, ended: int | None, has_waited: bool
) -> None:
    row = delivery(begun, ended)

    assert bool(outages_met([row], most=9, now=row.created_at + HOUR)) is has_waited


def test_outages_between_two_deliveries_keep_none_out_that_one_met(
    delivery: MakeDelivery, merchant: Merchant
) -> None:
    """As of a payment whose refund came weeks later, at an endpoint that fails every day."""
    early = delivery(5, 15)
    met = EndpointOutage.objects.get()
    late = Delivery(webhook_id=early.webhook_id, created_at=met.until + 9 * HOUR)
    for hour in range(1, 4):
        began = met.until + hour * HOUR
        outage_of(met.webhook, began, began + timedelta(minutes=1))

    assert outages_met([early, late], most=2, now=late.created_at + HOUR) == [met]


def test_an_outage_of_another_endpoint_met_no_delivery(
    delivery: MakeDelivery, endpoint: MakeEndpoint
) -> None:
    row = delivery(5, 15)
    EndpointOutage.objects.update(webhook=endpoint(url="https://other.example.com/"))

    assert outages_met([row], most=9, now=row.created_at) == []


def test_a_quick_delivery_costs_no_statement_for_outages(
    delivery: MakeDelivery, django_assert_num_queries: Any
) -> None:
    row = delivery(15, None)

    with django_assert_num_queries(0):
        assert outages_met([row], most=9, now=row.created_at + STORED_FROM / 2) == []
        assert outages_met([], most=9, now=row.created_at) == []
    with django_assert_num_queries(1):
        assert len(outages_met([row], most=9, now=row.created_at + STORED_FROM)) == 1


def test_old_outages_go_with_the_log_of_deliveries(endpoint: MakeEndpoint) -> None:
    webhook, limit = endpoint(), utc_now() - PERIODS["delivery logs"]
    outage_of(webhook, limit - 2 * HOUR, limit - HOUR)
    young = outage_of(webhook, limit - HOUR, limit + HOUR)

    assert forget_deliveries() == 1

    assert EndpointOutage.objects.get() == young
