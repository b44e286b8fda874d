"""POST /v1/payment-links"""

import re
from datetime import timedelta

import pytest
from django.db import connection

from core.clock import iso, utc_now
from links.models import PaymentLink
from merchants.models import ApiKey
from tests.events import event_data, event_types
from tests.query_counts import Statements

PATH = "/v1/payment-links"


def test_it_creates_a_link_with_an_address_and_a_picture(api, merchant):
    response = api(merchant).post(PATH, {"amount": 1250, "description": "A box of soursop"})

    body = response.json()
    assert response.status_code == 201
    assert response["Location"] == f"/v1/payment-links/{body['id']}"
    assert re.fullmatch(r"link_[0-9A-Za-z]{30}", body["id"])
    assert body == {
        "id": body["id"],
        "merchant_id": merchant.id,
        "merchant_slug": merchant.slug,
        "amount": 1250,
        "currency": "BSD",
        "description": "A box of soursop",
        "url": f"http://testserver/pay/{merchant.slug}/{body['id']}",
        "qr_code": f"http://testserver/pay/{merchant.slug}/{body['id']}/qr.png",
        "status": "active",
        "is_active": True,
        "uses_count": 0,
        "livemode": False,
        "metadata": {},
        "created_at": body["created_at"],
        "updated_at": body["created_at"],
    }


def test_it_announces_the_link(api, merchant):
    body = api(merchant).post(PATH, {"amount": 1250, "max_uses": 3}).json()

    assert event_types() == ["payment_link.created"]
    assert event_data("payment_link.created") == {
        "payment_link_id": body["id"],
        "merchant_id": merchant.id,
        "amount": 1250,
        "currency": "BSD",
        "url": body["url"],
        "status": "active",
        "max_uses": 3,
        "metadata": {},
        "created_at": body["created_at"],
    }


def test_it_keeps_every_field_it_is_given(api, merchant):
    expires_at = iso(utc_now() + timedelta(days=3))
    given = {
        "merchant_slug": merchant.slug,
        "amount": 99_999_999_999,
        "currency": "USD",
        "description": "Two\nlines",
        "max_uses": 7,
        "expires_at": expires_at,
        "success_url": "https://shop.example/thanks",
        "cancel_url": "http://shop.example/back",
        "metadata": {"table": 4},
    }

    body = api(merchant).post(PATH, given).json()

    assert given.items() <= body.items()


def test_it_leaves_the_amount_to_the_customer(api, merchant):
    response = api(merchant).post(PATH, {})

    assert response.status_code == 201
    assert "amount" not in response.json()


def test_it_belongs_to_the_mode_of_the_key(api, merchant):
    body = api(merchant, live=True).post(PATH, {"amount": 1250}).json()

    assert body["livemode"] is True
    assert api(merchant).get(f"{PATH}/{body['id']}").status_code == 404


def test_it_takes_the_merchant_by_slug_in_development(api, merchant, development):
    response = api(None).post(PATH, {"merchant_slug": merchant.slug, "amount": 1250})

    assert response.status_code == 201
    assert response.json()["merchant_id"] == merchant.id
    assert response.json()["livemode"] is False


def test_it_needs_a_merchant_in_development(api, db, development):
    response = api(None).post(PATH, {"amount": 1250})

    assert response.status_code == 422
    assert response.json()["code"] == "VALIDATION_FAILED"
    assert response.json()["details"] == "merchant_slug: is required without an API key"


def test_it_needs_a_key(api, merchant):
    response = api(None).post(PATH, {"merchant_slug": merchant.slug, "amount": 1250})

    assert response.status_code == 401
    assert response.json()["code"] == "UNAUTHORIZED"


@pytest.mark.parametrize("slug", ["stranger", "nobody-at-all"])
def test_it_does_not_know_the_slug_of_another_merchant(api, merchant, stranger, slug):
    given = stranger.slug if slug == "stranger" else slug

    response = api(merchant).post(PATH, {"merchant_slug": given, "amount": 1250})

    assert response.status_code == 404
    assert response.json()["code"] == "MERCHANT_NOT_FOUND"
    assert not PaymentLink.objects.exists()
    assert event_types() == []


@pytest.mark.parametrize(
    "amount", [0, -1, 100_000_000_000, 2**63, 1.0, 12.5, True, "100", "\u0661\u0660\u0660", [], {}]
)
def test_it_refuses_an_amount_that_is_none(api, merchant, amount):
    response = api(merchant).post(PATH, {"amount": amount})

    assert response.status_code == 422
    assert response.json()["code"] == "INVALID_AMOUNT"
    assert not PaymentLink.objects.exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("currency", "ABC"),
        ("currency", "bsd"),
        ("description", "x" * 501),
        ("description", "nul\x01"),
        ("max_uses", 0),
        ("max_uses", 1_000_001),
        ("max_uses", "3"),
        ("max_uses", True),
        ("expires_at", "2020-01-01T00:00:00Z"),
        ("expires_at", "2030-01-01"),
        ("expires_at", "2030-01-01T00:00:00"),
        ("expires_at", 5),
        ("success_url", "javascript:alert(1)"),
        ("success_url", "https://a@evil.example/"),
        ("cancel_url", "//evil.example"),
        ("cancel_url", "https://x\\@evil.example"),
        ("metadata", {str(number): 1 for number in range(21)}),
        ("metadata", {"a": {"b": 1}}),
        ("merchant_slug", 5),
    ],
)
def test_it_refuses_what_a_field_must_not_be(api, merchant, field, value):
    response = api(merchant).post(PATH, {"amount": 1250, field: value})

    assert response.status_code == 422
    assert response.json()["code"] == "VALIDATION_FAILED"
    assert field in response.json()["details"]
    assert not PaymentLink.objects.exists()


def test_it_refuses_an_http_address_in_live_mode(api, merchant):
    given = {"amount": 1250, "success_url": "http://shop.example/"}

    response = api(merchant, live=True).post(PATH, given)

    assert response.status_code == 422
    assert "success_url" in response.json()["details"]


def test_it_does_not_let_a_caller_set_what_the_service_keeps(api, merchant, stranger):
    mine = {"status": "used_up", "uses_count": 5, "livemode": True, "id": "link_x"}

    body = api(merchant).post(PATH, {"amount": 1250, **mine}).json()

    assert (body["status"], body["uses_count"], body["livemode"]) == ("active", 0, False)
    assert body["id"] != "link_x"


def test_it_creates_one_link_per_idempotency_key(api, merchant):
    first = api(merchant).post(PATH, {"amount": 1250}, idempotency_key="poster")
    again = api(merchant).post(PATH, {"amount": 1250}, idempotency_key="poster")
    other = api(merchant).post(PATH, {"amount": 1251}, idempotency_key="poster")

    assert again.content == first.content
    assert again["Idempotent-Replayed"] == "true"
    assert other.json()["code"] == "IDEMPOTENCY_KEY_REUSED"
    assert PaymentLink.objects.count() == 1
    assert event_types() == ["payment_link.created"]


def test_who_made_it_is_recorded_by_the_statement_that_makes_it(api, merchant):
    client = api(merchant)
    client.get("/v1/payments/pay_none")  # the key is known by now
    with Statements() as statements:
        client.post(PATH, {"amount": 100})

    assert len(statements.work) <= (2 if connection.vendor == "postgresql" else 3), statements.work
    key = ApiKey.objects.get()
    assert PaymentLink.objects.get().created_by == f"key:{key.id}"
