"""POST /v1/payments: the fields that all modes share, and who may create."""

import base64
from datetime import timedelta

import pytest
import time_machine
from django.test import override_settings

from core.clock import iso, utc_now
from core.text import PRINTABLE_RULE
from merchants.models import Merchant
from payments.models import Payment
from tests.client import Api
from webhooks.models import Event

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("currency", "bsd"),
        ("currency", "XXZ"),
        ("currency", 5),
        ("payment_mode", "MAGIC_PAY"),
        ("description", "x" * 501),
        ("description", 5),
        ("description", "bell \x07"),
        ("description", "reversed \u202e"),
        ("description", "reversed \u061c"),
        ("description", "piled up" + "\u0323" * 9),
        ("description", "hidden" + "\U000e0041" * 9),
        ("metadata", {f"k{n}": 1 for n in range(21)}),
        ("metadata", {"nested": {}}),
        ("metadata", {"list": []}),
        ("metadata", {"": 1}),
        ("metadata", {"k" * 41: 1}),
        ("metadata", {"long": "x" * 501}),
        ("metadata", {"big": 2**53}),
        ("metadata", {"big": 1e30}),
        ("metadata", {"big": -1e16}),
        ("metadata", {"control": "\x1b[2J"}),
        ("metadata", {"turned": "\u202eabc"}),
        ("metadata", {"piled up": "a" + "\u0489" * 9}),
        ("metadata", []),
        ("success_url", "javascript:alert(1)"),
        ("success_url", "//evil.example"),
        ("success_url", "https://a@evil.example"),
        ("success_url", "https://x\\@evil.example"),
        ("success_url", "https://x.example/\tb"),
        ("success_url", "https://x.example/\nb"),
        ("success_url", "ftp://x.example"),
        ("success_url", "data:text/html,x"),
        ("success_url", "https://"),
        ("success_url", "https://x.example/" + "a" * 2_048),
        ("cancel_url", "/relative"),
        ("qr_format", "jpeg"),
        ("order_id", "one\ntwo"),
        ("reference", "one\ntwo"),
    ],
)
def test_it_names_the_field_at_fault(
    api: Api, merchant: Merchant, field: str, value: object
) -> None:
    response = api(merchant).post("/v1/payments", {"amount": 100, field: value})

    assert (response.status_code, response.json()["code"]) == (422, "VALIDATION_FAILED")
    assert field in response.json()["details"]
    assert Payment.objects.count() == 0
    assert Event.objects.count() == 0


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        ({}, "must be a string, number, boolean or null"),
        ("x" * 501, "must have at most 500 characters"),
        (2**53, "must be a number between -(2^53-1) and 2^53-1"),
        ("\x1b[2J", PRINTABLE_RULE),
    ],
)
def test_the_metadata_at_fault_is_named(
    api: Api, merchant: Merchant, value: object, rule: str
) -> None:
    metadata = {"order": "1001", "basket": value}

    response = api(merchant).post("/v1/payments", {"amount": 100, "metadata": metadata})

    assert (response.status_code, response.json()["code"]) == (422, "VALIDATION_FAILED")
    assert response.json()["details"] == f"metadata.basket: {rule}"


def test_a_metadata_key_with_control_characters_is_told_so(api: Api, merchant: Merchant) -> None:
    response = api(merchant).post("/v1/payments", {"amount": 100, "metadata": {"\x1b[2J": 1}})

    assert response.status_code == 422
    assert response.json()["details"] == f"metadata: a key {PRINTABLE_RULE}"


def test_metadata_takes_text_numbers_booleans_and_null(api: Api, merchant: Merchant) -> None:
    metadata = {"a": "x" * 500, "b": 1, "c": 1.5, "d": True, "e": None, "__proto__": "kept"}

    response = api(merchant).post("/v1/payments", {"amount": 100, "metadata": metadata})

    assert response.json()["metadata"] == metadata
    assert api(merchant).get(response["Location"]).json()["metadata"] == metadata


def test_text_comes_back_as_it_was(api: Api, merchant: Merchant) -> None:
    text = "'; DROP TABLE payments; -- =1+1 <script>ñ😀\nSecond line"

    body = {"amount": 100, "description": text, "payment_mode": "INVOICE_PAY", "terms": text}
    address = api(merchant).post("/v1/payments", body)["Location"]

    record = api(merchant).get(address).json()
    assert (record["description"], record["terms"]) == (text, text)
    changed = api(merchant).patch(address, {"description": "One\nTwo"})
    assert changed.json()["description"] == "One\nTwo"


def test_http_addresses_are_for_test_mode(api: Api, merchant: Merchant) -> None:
    body = {"amount": 100, "success_url": "http://localhost:3000/thanks"}

    assert api(merchant).post("/v1/payments", body).status_code == 201
    live = api(merchant, live=True).post("/v1/payments", body)
    assert (live.status_code, live.json()["code"]) == (422, "VALIDATION_FAILED")
    assert live.json()["details"] == "success_url: must be an https address"


def test_an_address_without_scheme_is_told_of_no_mode(api: Api, merchant: Merchant) -> None:
    """In test mode an http address is taken: the refusal must not say that only https is."""
    body = {"amount": 100, "success_url": "shop.example/thanks"}
    rule = "must be an absolute address such as https://shop.example/page"

    for live in (False, True):
        refused = api(merchant, live=live).post("/v1/payments", body)
        assert refused.json()["details"].startswith(f"success_url: {rule}, of at most")


def test_nothing_else_can_be_set(api: Api, merchant: Merchant, stranger: Merchant) -> None:
    body = {
        "amount": 100,
        "id": "pay_mine",
        "status": "completed",
        "livemode": True,
        "completed_at": "2026-01-01T00:00:00Z",
        "amount_refunded": 5,
        "fee": 0,
        "transaction_id": "txn_1",
        "customer_id": "cus_1",
        "static_payment_id": "pay_1",
    }

    record = api(merchant).post("/v1/payments", body).json()

    assert record["id"] != "pay_mine"
    assert (record["status"], record["livemode"]) == ("created", False)
    assert record["amount_refunded"] == 0
    assert not {"completed_at", "transaction_id", "customer_id", "fee"} & set(record)


def test_the_qr_code_comes_in_both_forms(api: Api, merchant: Merchant) -> None:
    png = api(merchant).post("/v1/payments", {"amount": 100, "qr_format": "png"}).json()

    head, image = png["qr_payload"].split(",")
    assert head == "data:image/png;base64"
    assert base64.b64decode(image).startswith(b"\x89PNG")
    link = api(merchant).get(f"/v1/payments/{png['id']}", {"qr_format": "deep_link"}).json()
    assert link["qr_payload"].endswith(f"://pay/{png['id']}")
    wrong = api(merchant).get(f"/v1/payments/{png['id']}", {"qr_format": "x"})
    assert (wrong.status_code, wrong.json()["code"]) == (400, "INVALID_REQUEST")


@override_settings(QR_PAYLOAD="png")
def test_the_form_of_the_qr_code_is_a_setting(api: Api, merchant: Merchant) -> None:
    record = api(merchant).post("/v1/payments", {"amount": 100}).json()
    assert record["qr_payload"].startswith("data:image/png;base64,")


def test_it_needs_a_key(api: Api, merchant: Merchant) -> None:
    response = api(None).post("/v1/payments", {"merchant_id": merchant.id, "amount": 100})

    assert (response.status_code, response.json()["code"]) == (401, "UNAUTHORIZED")
    assert response["WWW-Authenticate"] == "Bearer"


@pytest.mark.usefixtures("development")
def test_development_names_its_merchant(api: Api, merchant: Merchant) -> None:
    response = api(None).post("/v1/payments", {"merchant_id": merchant.id, "amount": 100})
    assert (response.status_code, response.json()["livemode"]) == (201, False)

    unnamed = api(None).post("/v1/payments", {"amount": 100})
    assert (unnamed.status_code, unnamed.json()["code"]) == (422, "VALIDATION_FAILED")


def test_the_merchant_of_the_key_cannot_be_contradicted(
    api: Api, merchant: Merchant, stranger: Merchant
) -> None:
    response = api(merchant).post("/v1/payments", {"merchant_id": stranger.id, "amount": 100})

    assert (response.status_code, response.json()["code"]) == (422, "VALIDATION_FAILED")
    assert Payment.objects.count() == 0


def test_it_expires_at_an_instant(api: Api, merchant: Merchant) -> None:
    at = iso(utc_now() + timedelta(days=3))

    made = api(merchant).post("/v1/payments", {"amount": 100, "expires_at": at})

    assert (made.status_code, made.json()["expires_at"]) == (201, at)


@pytest.mark.parametrize(
    "other",
    [
        {"expires_at": "2020-01-01T00:00:00Z"},
        {"expires_at": "2126-01-01T00:00:00Z"},
        {"expires_at": "tomorrow"},
        {"expires_in": 600},
        {"payment_mode": "STATIC_PAY"},
    ],
    ids=str,
)
def test_an_instant_of_expiry_has_the_same_bounds(
    api: Api, merchant: Merchant, other: dict[str, object]
) -> None:
    at = iso(utc_now() + timedelta(hours=1))

    response = api(merchant).post("/v1/payments", {"amount": 100, "expires_at": at, **other})

    assert (response.status_code, response.json()["code"]) == (422, "VALIDATION_FAILED")
    assert response.json()["details"].startswith("expires_at: ")


@pytest.mark.parametrize(
    ("life", "status"),
    [
        (timedelta(seconds=59, milliseconds=999), 422),
        (timedelta(seconds=60), 201),
        (timedelta(days=30), 201),
        (timedelta(days=30, milliseconds=1), 422),
    ],
)
def test_an_instant_of_expiry_is_a_minute_to_thirty_days_away(
    api: Api, merchant: Merchant, life: timedelta, status: int
) -> None:
    with time_machine.travel(utc_now(), tick=False):
        body = {"amount": 100, "expires_at": iso(utc_now() + life)}
        assert api(merchant).post("/v1/payments", body).status_code == status


@pytest.mark.parametrize("name", ["success_url", "cancel_url"])
def test_an_empty_address_is_none(api: Api, merchant: Merchant, name: str) -> None:
    for path in ("/v1/payments", "/v1/payment-links"):
        made = api(merchant).post(path, {"amount": 100, name: ""})
        assert made.status_code == 201, made.json()
        assert name not in made.json()
