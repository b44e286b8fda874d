import base64
from typing import Any

import pytest

from core.clock import utc_now
from core.crypto import decrypt
from merchants.models import ApiKey, Merchant
from merchants.services import set_status
from merchants.statuses import MerchantStatus
from tests.client import Api
from tests.races import at_once, held_up
from webhooks.event_types import EventType
from webhooks.models import Webhook

URL = "https://shop.example.com/hooks"
BODY = {"url": URL, "events": ["payment.completed", "refund.*"], "description": "Orders,\nrefunds"}


def test_it_registers_an_endpoint(api: Api, merchant: Merchant) -> None:
    response = api(merchant).post("/v1/webhooks", BODY)

    shown = response.json()
    webhook = Webhook.objects.get()
    assert response.status_code == 201
    assert response["Location"] == f"/v1/webhooks/{webhook.id}"
    assert list(shown) == [
        "id", "url", "events", "description", "is_active", "secret_hint", "livemode",
        "created_at", "updated_at", "secret",
    ]  # fmt: skip
    assert shown["id"].startswith("wh_")
    assert {name: shown[name] for name in BODY} == BODY
    assert (shown["is_active"], shown["livemode"]) == (True, False)
    assert webhook.merchant == merchant


def test_its_secret_is_shown_once_and_stored_encrypted(api: Api, merchant: Merchant) -> None:
    secret = api(merchant).post("/v1/webhooks", BODY).json()["secret"]

    webhook = Webhook.objects.get()
    assert secret.startswith("whsec_")
    assert len(base64.b64decode(secret.removeprefix("whsec_"), validate=True)) == 32
    assert secret not in webhook.secret
    assert decrypt(webhook.secret) == secret
    assert webhook.secret_hint == f"whsec_…{secret[-4:]}"
    shown = api(merchant).get(f"/v1/webhooks/{webhook.id}").json()
    assert "secret" not in shown


def test_the_same_key_makes_one_endpoint_with_one_secret(api: Api, merchant: Merchant) -> None:
    first, again = (
        api(merchant).post("/v1/webhooks", BODY, idempotency_key="k1") for _ in range(2)
    )

    assert first.content == again.content
    assert again["Idempotent-Replayed"] == "true"
    assert Webhook.objects.count() == 1


def test_a_live_key_makes_a_live_endpoint(api: Api, merchant: Merchant) -> None:
    shown = api(merchant, live=True).post("/v1/webhooks", BODY).json()

    assert shown["livemode"] is True
    assert api(merchant).get(f"/v1/webhooks/{shown['id']}").status_code == 404


def test_development_mode_names_the_merchant(
    api: Api, merchant: Merchant, development: None
) -> None:
    response = api(None).post("/v1/webhooks", BODY | {"merchant_id": merchant.id})

    assert response.status_code == 201
    assert Webhook.objects.get().merchant == merchant


def test_there_is_a_limit_per_merchant_and_mode(
    api: Api, merchant: Merchant, stranger: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webhooks.endpoints.MAX_ENDPOINTS", 2)
    ids = [api(merchant).post("/v1/webhooks", BODY).json()["id"] for _ in range(2)]

    response = api(merchant).post("/v1/webhooks", BODY)

    assert (response.status_code, response.json()["code"]) == (422, "VALIDATION_FAILED")
    assert response.json()["details"] == "There may be 2 webhooks at most: delete one first."
    assert Webhook.objects.count() == 2
    assert api(merchant, live=True).post("/v1/webhooks", BODY).status_code == 201
    assert api(stranger).post("/v1/webhooks", BODY).status_code == 201
    api(merchant).delete(f"/v1/webhooks/{ids[0]}")
    assert api(merchant).post("/v1/webhooks", BODY).status_code == 201


def test_a_merchant_that_no_one_has_verified_has_few(
    api: Api, merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stranger with a test key has us call another's host, once for each endpoint and event."""
    monkeypatch.setattr("webhooks.endpoints.MAX_SELF_SERVICE_ENDPOINTS", 2)
    Merchant.objects.update(status="unverified")
    for _ in range(2):
        assert api(merchant).post("/v1/webhooks", BODY).status_code == 201

    refused = api(merchant).post("/v1/webhooks", BODY)

    assert (refused.status_code, refused.json()["code"]) == (422, "VALIDATION_FAILED")
    assert refused.json()["details"] == (
        "There may be 2 webhooks at most until the merchant is verified: delete one first."
    )
    set_status(merchant_id=merchant.id, status=MerchantStatus.VERIFIED, now=utc_now())
    assert api(merchant).post("/v1/webhooks", BODY).status_code == 201


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_many_at_once_are_no_more_than_the_limit(
    api: Api, merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webhooks.endpoints.MAX_ENDPOINTS", 2)
    caller = api(merchant)

    answers = at_once([lambda: caller.post("/v1/webhooks", BODY).status_code for _ in range(8)])

    assert sorted(answers, key=str) == [201] * 2 + [422] * 6
    assert Webhook.objects.count() == 2


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_key_that_is_revoked_meanwhile_registers_none(api: Api, merchant: Merchant) -> None:
    """A thief's endpoint would go on receiving events when the key has ended."""
    caller = api(merchant, live=True)
    caller.get("/v1/balance")

    def revoke() -> None:
        Merchant.objects.locked(merchant.id)
        ApiKey.objects.filter(livemode=True).update(revoked_at=utc_now())

    late = held_up(revoke, lambda: caller.post("/v1/webhooks", BODY).status_code)

    assert late == 401
    assert not Webhook.objects.exists()


def test_without_a_key_it_is_refused(api: Api) -> None:
    response = api(None).post("/v1/webhooks", BODY)

    assert (response.status_code, response.json()["code"]) == (401, "UNAUTHORIZED")


@pytest.mark.parametrize("events", [["*"], ["payment.*"], ["payment_link.*"], EventType.values])
def test_every_type_and_pattern_can_be_subscribed(
    api: Api, merchant: Merchant, events: list[str]
) -> None:
    response = api(merchant).post("/v1/webhooks", {"url": URL, "events": events})

    assert (response.status_code, response.json().get("events")) == (201, events)


def test_a_type_named_twice_is_kept_once(api: Api, merchant: Merchant) -> None:
    body = {"url": URL, "events": ["payment.failed", "*", "payment.failed"]}

    assert api(merchant).post("/v1/webhooks", body).json()["events"] == ["payment.failed", "*"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"url": None}, "url: is required"),
        ({"url": 5}, "url: must be"),
        ({"url": "shop.example.com"}, "url: must be"),
        ({"url": "http://shop.example.com\n/x"}, "url: must be"),
        ({"url": URL + "a" * 2_048}, "url: must be"),
        ({"url": URL + "#orders"}, "url: must not have a fragment"),
        ({"url": URL + "#"}, "url: must not have a fragment"),
        ({"events": None}, "events: is required"),
        ({"events": []}, "events: must be a list"),
        ({"events": "payment.completed"}, "events: must be a list"),
        ({"events": ["payment.paid"]}, "events.0: must be one of"),
        ({"events": ["payment"]}, "events.0: must be one of"),
        ({"events": ["*.completed"]}, "events.0: must be one of"),
        ({"events": ["*", 7]}, "events.1: must be one of"),
        ({"events": ["*"] * 1_000}, "events: must be a list"),
        ({"description": "a" * 501}, "description: must be"),
        ({"description": "a\x07b"}, "description: must not"),
    ],
)
def test_it_refuses_what_is_no_endpoint(
    api: Api, merchant: Merchant, change: dict[str, Any], field: str
) -> None:
    response = api(merchant).post("/v1/webhooks", BODY | change)

    assert response.status_code == 422
    assert response.json()["code"] == "VALIDATION_FAILED"
    assert field in response.json()["details"]
    assert Webhook.objects.count() == 0
