"""What deliveries cost beside the HTTP call: statements, and a bound of the functions called."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from bench.statements import FRAMING, Calls
from core.clock import utc_now
from core.database_clock import database_now
from merchants.models import Merchant
from outbound.results import HttpResult
from tests.webhooks.dispatching import MANY, emit_event, endpoint_of
from webhooks.delivery.leases import claim_due_deliveries
from webhooks.delivery.outcomes import record_result
from webhooks.models import Webhook

MOST_CALLS = 1_370  # with 3 % of room


def deliver(merchant: Merchant) -> None:
    """Claim four deliveries to one endpoint, and record that each has arrived."""
    batch = claim_due_deliveries(free=MANY, now=database_now())
    assert len(batch.taken) == 4
    for claim in batch.taken:
        record_result(claim, HttpResult(ms=5, status=200))


@pytest.mark.django_db
def test_four_deliveries_cost_a_claim_and_three_statements_each(merchant: Merchant) -> None:
    endpoint_of(merchant, "https://a.example.com/")
    Webhook.objects.update(last_success_at=utc_now())
    for _ in range(16):
        emit_event(merchant)
    deliver(merchant)  # prepares the statements

    with CaptureQueriesContext(connection) as captured:
        deliver(merchant)
    with Calls() as calls:
        deliver(merchant)

    texts = [str(query["sql"]) for query in captured.captured_queries]
    sent = [text for text in texts if not text.startswith(FRAMING)]
    assert len(sent) <= 9 + 4 * 3, "\n".join(sent)
    assert calls.count <= 4 * MOST_CALLS


@pytest.mark.django_db
def test_where_nothing_is_due_no_endpoint_is_asked(merchant: Merchant) -> None:
    endpoint_of(merchant, "https://a.example.com/")

    with CaptureQueriesContext(connection) as captured:
        assert claim_due_deliveries(free=MANY, now=database_now()).taken == []

    texts = [str(query["sql"]) for query in captured.captured_queries]
    assert not any('FROM "webhooks_webhook"' in text for text in texts), texts
