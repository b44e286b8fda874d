"""PATCH /v1/payment-links/:id"""

from datetime import timedelta

import pytest

from core.clock import iso, utc_now
from links.models import PaymentLink
from tests.links.conftest import new_link
from tests.links.paying_by_link import use


def test_it_changes_what_may_change(api, merchant, link):
    changes = {
        "description": "Mangoes",
        "max_uses": 9,
        "expires_at": iso(utc_now() + timedelta(days=1)),
        "success_url": "https://shop.example/thanks",
        "cancel_url": "https://shop.example/back",
        "metadata": {"row": 1},
    }

    response = api(merchant).patch(f"/v1/payment-links/{link.id}", changes)

    assert response.status_code == 200
    assert changes.items() <= response.json().items()
    assert response.json()["updated_at"] >= response.json()["created_at"]


def test_a_link_set_to_what_it_is_was_not_changed(api, merchant):
    """It came again under `updated_since`, for programs that read what has changed."""
    limits = {"max_uses": 2, "expires_at": iso(utc_now() + timedelta(days=1))}
    path = f"/v1/payment-links/{new_link(api, merchant, **limits, metadata={'a': 1}).id}"
    before = PaymentLink.objects.values().get()

    for changes in ({}, limits, {"metadata": {"a": 1}, "description": None}):
        assert api(merchant).patch(path, changes).status_code == 200
        assert PaymentLink.objects.values().get() == before


def test_it_takes_away_what_is_null(api, merchant):
    expires_at = iso(utc_now() + timedelta(days=1))
    link = new_link(api, merchant, max_uses=2, expires_at=expires_at, metadata={"a": 1})
    nothing = {"max_uses": None, "expires_at": None, "metadata": None, "description": None}

    body = api(merchant).patch(f"/v1/payment-links/{link.id}", nothing).json()

    assert "max_uses" not in body
    assert "expires_at" not in body
    assert body["metadata"] == {}


@pytest.mark.parametrize(
    "field",
    ["amount", "currency", "status", "is_active", "uses_count", "merchant_id", "id", "livemode"],
)
def test_it_refuses_a_field_that_cannot_change(api, merchant, link, field):
    path = f"/v1/payment-links/{link.id}"
    value = merchant.id if field == "merchant_id" else 5

    response = api(merchant).patch(path, {"description": "Mangoes", field: value})

    assert response.status_code == 422
    assert response.json()["code"] == "VALIDATION_FAILED"
    assert field in response.json()["details"]
    link.refresh_from_db()
    assert link.description == ""


def test_it_names_what_ends_a_link(api, merchant, link):
    response = api(merchant).patch(f"/v1/payment-links/{link.id}", {"is_active": False})

    rule = "cannot be changed; there is POST /v1/payment-links/:id/deactivate"
    assert response.json()["details"] == f"is_active: {rule}"


@pytest.mark.parametrize("most", [1, 2])
def test_it_refuses_fewer_uses_than_were_made(api, merchant, link, most):
    use(link.id)
    use(link.id)

    response = api(merchant).patch(f"/v1/payment-links/{link.id}", {"max_uses": most})

    assert response.status_code == 422
    assert "2 uses" in response.json()["details"]
    link.refresh_from_db()
    assert link.max_uses is None


def test_a_limit_set_later_counts_the_uses_before(api, merchant, link):
    use(link.id)

    api(merchant).patch(f"/v1/payment-links/{link.id}", {"max_uses": 2})
    use(link.id)

    link.refresh_from_db()
    assert (link.status, link.uses_count, link.amount_collected) == ("used_up", 2, 2500)


def test_it_refuses_an_expiry_in_the_past(api, merchant, link):
    past = iso(utc_now() - timedelta(seconds=1))

    response = api(merchant).patch(f"/v1/payment-links/{link.id}", {"expires_at": past})

    assert response.status_code == 422
    assert "expires_at" in response.json()["details"]


def test_it_refuses_an_http_address_in_live_mode(api, merchant):
    path = api(merchant, live=True).post("/v1/payment-links", {"amount": 5})["Location"]

    response = api(merchant, live=True).patch(path, {"cancel_url": "http://shop.example"})

    assert response.status_code == 422
    assert "cancel_url" in response.json()["details"]


def test_it_refuses_a_link_that_has_ended(api, merchant, link):
    api(merchant).post(f"/v1/payment-links/{link.id}/deactivate")

    response = api(merchant).patch(f"/v1/payment-links/{link.id}", {"description": "Mangoes"})

    assert response.status_code == 422
    assert response.json()["code"] == "PAYMENT_LINK_INACTIVE"


def test_it_refuses_a_link_whose_time_has_passed(api, merchant, link):
    PaymentLink.objects.update(expires_at=utc_now() - timedelta(seconds=1))
    later = iso(utc_now() + timedelta(days=1))

    response = api(merchant).patch(f"/v1/payment-links/{link.id}", {"expires_at": later})

    assert response.status_code == 422
    assert response.json()["code"] == "PAYMENT_LINK_EXPIRED"


def test_it_hides_another_merchants_link(api, stranger, link):
    response = api(stranger).patch(f"/v1/payment-links/{link.id}", {"description": "Mine"})

    assert response.status_code == 404
    assert response.json()["code"] == "PAYMENT_LINK_NOT_FOUND"
    link.refresh_from_db()
    assert link.description == ""
