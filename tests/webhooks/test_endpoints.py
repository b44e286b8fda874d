"""Reading, listing, changing and deleting endpoints."""

from typing import Any

import pytest

from core.clock import utc_now
from merchants.callers import Caller
from merchants.models import ApiKey, Merchant
from tests.client import Api
from tests.webhooks.conftest import MakeEndpoint
from tests.webhooks.dispatching import emit_event, only_delivery, send_due
from webhooks.endpoints import update_webhook
from webhooks.models import Delivery, Webhook
from webhooks.redelivery import close_undeliverable
from webhooks.statuses import DeliveryStatus

RECORD = [
    "id", "url", "events", "is_active", "secret_hint", "livemode", "created_at", "updated_at",
]  # fmt: skip


@pytest.fixture
def webhook(endpoint: MakeEndpoint) -> Webhook:
    return endpoint("/say/500")


def test_it_reads_an_endpoint(api: Api, merchant: Merchant, webhook: Webhook) -> None:
    response = api(merchant).get(f"/v1/webhooks/{webhook.id}")

    assert response.status_code == 200
    assert list(response.json()) == RECORD
    assert response.json()["id"] == webhook.id


def test_it_lists_the_callers_endpoints_newest_first(
    api: Api, merchant: Merchant, stranger: Merchant, endpoint: MakeEndpoint
) -> None:
    made = [endpoint().id for _ in range(3)]

    response = api(merchant).get("/v1/webhooks", {"limit": "2"})

    assert [item["id"] for item in response.json()["webhooks"]] == sorted(made, reverse=True)[:2]
    assert (response.json()["total"], response.json()["limit"]) == (3, 2)
    assert api(stranger).get("/v1/webhooks").json()["webhooks"] == []
    assert api(merchant, live=True).get("/v1/webhooks").json()["total"] == 0


def test_it_changes_what_may_change(api: Api, merchant: Merchant, webhook: Webhook) -> None:
    changes = {
        "url": "https://shop.example.com/new",
        "events": ["payment.completed"],
        "description": "New,\nof two lines",
    }

    response = api(merchant).patch(f"/v1/webhooks/{webhook.id}", changes)

    assert response.status_code == 200
    assert {name: response.json()[name] for name in changes} == changes
    assert response.json()["updated_at"] > response.json()["created_at"]
    webhook.refresh_from_db()
    assert webhook.url == changes["url"]


def test_an_endpoint_set_to_what_it_is_was_not_changed(
    api: Api, merchant: Merchant, webhook: Webhook
) -> None:
    before = Webhook.objects.values().get()
    known = {"url": webhook.url, "events": webhook.events, "is_active": True}

    for changes in ({}, known):
        response = api(merchant).patch(f"/v1/webhooks/{webhook.id}", changes)

        assert response.status_code == 200
        assert Webhook.objects.values().get() == before


def test_an_address_of_earlier_days_stays_as_it_is(
    api: Api, merchant: Merchant, webhook: Webhook
) -> None:
    with_fragment = "https://shop.example.com/hooks#orders"
    Webhook.objects.update(url=with_fragment)
    changes = {"url": with_fragment, "description": "New"}

    response = api(merchant).patch(f"/v1/webhooks/{webhook.id}", changes)

    assert (response.status_code, response.json()["description"]) == (200, "New")


def test_a_null_takes_the_description_away(api: Api, merchant: Merchant, webhook: Webhook) -> None:
    api(merchant).patch(f"/v1/webhooks/{webhook.id}", {"description": "New"})

    response = api(merchant).patch(f"/v1/webhooks/{webhook.id}", {"description": None})

    assert "description" not in response.json()


@pytest.mark.parametrize(
    "changes",
    [
        {"secret": "whsec_mine"},
        {"livemode": True},
        {"merchant_id": "mer_other"},
        {"id": "wh_other"},
        {"disabled_reason": "gone"},
        {"events": []},
        {"events": None},
        {"url": "http://10.0.0.1/"},
        {"url": "https://shop.example.com/hooks#orders"},
        {"url": None},
        {"is_active": "yes"},
        {"is_active": None},
        {"description": "fine", "failures": 0},
    ],
)
def test_it_refuses_what_may_not(
    api: Api, merchant: Merchant, webhook: Webhook, changes: dict[str, Any]
) -> None:
    before = Webhook.objects.values().get()

    response = api(merchant).patch(f"/v1/webhooks/{webhook.id}", changes)

    assert (response.status_code, response.json()["code"]) == (422, "VALIDATION_FAILED")
    assert Webhook.objects.values().get() == before


def test_switched_off_it_is_sent_nothing(api: Api, merchant: Merchant, webhook: Webhook) -> None:
    emit_event(merchant)

    response = api(merchant).patch(f"/v1/webhooks/{webhook.id}", {"is_active": False})
    emit_event(merchant)

    assert response.json()["disabled_reason"] == "requested"
    assert send_due() == 0
    assert close_undeliverable(now=webhook.created_at) == 1
    assert only_delivery(webhook).status == DeliveryStatus.FAILED


def test_switched_on_again_it_begins_with_a_clean_record(
    api: Api, merchant: Merchant, webhook: Webhook
) -> None:
    emit_event(merchant)
    send_due()
    api(merchant).patch(f"/v1/webhooks/{webhook.id}", {"is_active": False})

    response = api(merchant).patch(f"/v1/webhooks/{webhook.id}", {"is_active": True})

    assert response.json()["is_active"] is True
    assert "disabled_reason" not in response.json()
    webhook.refresh_from_db()
    assert (webhook.failures, webhook.failing_since) == (0, None)


def test_at_another_address_it_begins_with_a_clean_record(
    api: Api, merchant: Merchant, webhook: Webhook
) -> None:
    emit_event(merchant)
    send_due()
    path = f"/v1/webhooks/{webhook.id}"

    api(merchant).patch(path, {"url": webhook.url, "events": ["*"]})
    webhook.refresh_from_db()
    assert webhook.failures == 1
    Webhook.objects.update(last_success_at=utc_now(), url_set_at=None, url_set_by=None)
    mover = api(merchant)
    mover.patch(path, {"url": "https://shop.example.com/hooks"})

    webhook.refresh_from_db()
    assert (webhook.failures, webhook.failing_since, webhook.last_success_at) == (0, None, None)
    assert (webhook.url_set_at, webhook.url_set_by) == (
        webhook.updated_at,
        f"key:{ApiKey.objects.latest('created_at').pk}",
    )


def test_it_deletes_an_endpoint_and_keeps_its_log_for_staff(
    api: Api, merchant: Merchant, webhook: Webhook
) -> None:
    emit_event(merchant)

    response = api(merchant).delete(f"/v1/webhooks/{webhook.id}")

    assert response.status_code == 200
    assert response.json() == {"id": webhook.id, "deleted": True}
    assert send_due() == 0
    assert api(merchant).get("/v1/webhooks").json()["total"] == 0
    assert close_undeliverable(now=webhook.created_at) == 1
    assert only_delivery(webhook).status == DeliveryStatus.CANCELED
    emit_event(merchant)
    assert Delivery.objects.count() == 1


PATHS = [
    ("get", ""),
    ("patch", ""),
    ("delete", ""),
    ("post", "/rotate-secret"),
    ("post", "/recover"),
    ("get", "/deliveries"),
    ("post", "/deliveries/dlv_1/retry"),
]
BODIES = {"/recover": {"since": "2026-01-01T00:00:00Z"}}


@pytest.mark.parametrize(("method", "path"), PATHS)
@pytest.mark.parametrize("who", ["stranger", "other mode", "unknown", "deleted"])
def test_what_is_not_the_callers_does_not_exist(
    api: Api,
    merchant: Merchant,
    stranger: Merchant,
    webhook: Webhook,
    method: str,
    path: str,
    who: str,
) -> None:
    caller = api(stranger if who == "stranger" else merchant, live=who == "other mode")
    if who == "deleted":
        api(merchant).delete(f"/v1/webhooks/{webhook.id}")
    webhook_id = "wh_unknown" if who == "unknown" else webhook.id
    before = Webhook.objects.values().get()

    response = getattr(caller, method)(f"/v1/webhooks/{webhook_id}{path}", BODIES.get(path, {}))

    assert (response.status_code, response.json()["code"]) == (404, "WEBHOOK_NOT_FOUND")
    assert Webhook.objects.values().get() == before


def test_staff_change_an_endpoint_without_a_key_of_its_merchant(webhook: Webhook) -> None:
    staff = Caller.for_staff(livemode=webhook.livemode, actor="staff:ann")
    changes = {"description": "The till"}

    update_webhook(caller=staff, webhook_id=webhook.id, changes=changes, now=utc_now())

    webhook.refresh_from_db()
    assert webhook.description == "The till"
