"""What strangers test, by keys that anyone has for the asking, holds up no sale."""

from datetime import timedelta
from typing import Any

import pytest

from core.clock import utc_now
from core.database_clock import database_now
from merchants.callers import Caller
from merchants.models import Merchant
from tests.factories import MerchantFactory
from tests.webhooks.dispatching import emit_event, endpoint_of
from webhooks.delivery.lanes import Lane
from webhooks.delivery.leases import claim_due_deliveries
from webhooks.endpoints import create_webhook
from webhooks.models import Webhook

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("lane", "of_strangers", "of_the_shop"),
    [
        # Each answers, after 14 seconds: it never fails, and always has more to be sent.
        (Lane.CAREFUL, {"is_slow": True}, {"failures": 1}),
        (Lane.QUICK, {}, {}),
        (Lane.NEW, {"last_success_at": None}, {"last_success_at": None}),
    ],
)
def test_a_live_event_waits_for_no_test(
    merchant: Merchant, lane: Lane, of_strangers: dict[str, Any], of_the_shop: dict[str, Any]
) -> None:
    caller = Caller(merchant, livemode=True, actor="tests")
    address = "https://shop.example/hooks"
    create_webhook(caller=caller, url=address, events=["*"], description="", now=utc_now())
    stranger = MerchantFactory()
    for number in range(3):
        endpoint_of(stranger, f"https://slow-{number}.example/hooks")
    emit_event(stranger)
    emit_event(merchant, livemode=True)
    healthy = {"last_success_at": utc_now()}
    Webhook.objects.filter(merchant=stranger).update(**healthy | of_strangers)
    Webhook.objects.filter(merchant=merchant).update(**healthy | of_the_shop)

    free = dict.fromkeys(Lane, 0) | {lane: 1}
    later = database_now() + timedelta(seconds=1)
    [taken] = claim_due_deliveries(free=free, now=later).taken

    assert taken.delivery.webhook.url == address
