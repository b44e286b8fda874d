"""GET /v1/pay/:merchant_slug/:link_id and the pictures of a link"""

from datetime import timedelta

import pytest

from core import qr
from core.clock import iso, utc_now
from links.models import PaymentLink
from links.statistics import write_counts
from merchants.models import Merchant
from merchants.statuses import MerchantStatus
from tests.links.conftest import new_link


def test_it_shows_the_link_and_the_merchants_public_part(api, merchant):
    Merchant.objects.update(brand_color="#00778b", support_email="help@shop.example")
    link = new_link(api, merchant, description="Soursop", metadata={"cost": 3}, max_uses=4)

    response = api(None).get(f"/v1/pay/{merchant.slug}/{link.id}")

    assert response.status_code == 200
    assert response.json() == {
        "id": link.id,
        "merchant_id": merchant.id,
        "merchant_slug": merchant.slug,
        "amount": 1250,
        "currency": "BSD",
        "description": "Soursop",
        "url": f"http://testserver/pay/{merchant.slug}/{link.id}",
        "qr_code": f"http://testserver/pay/{merchant.slug}/{link.id}/qr.png",
        "status": "active",
        "is_active": True,
        "uses_count": 0,
        "max_uses": 4,
        "livemode": False,
        "created_at": iso(link.created_at),
        "updated_at": iso(link.updated_at),
        "merchant": {
            "id": merchant.id,
            "name": merchant.name,
            "slug": merchant.slug,
            "category": "other",
            "support_email": "help@shop.example",
            "brand_color": "#00778b",
        },
    }


def test_it_shows_that_a_link_has_expired_before_the_sweep_comes_by(api, merchant, link):
    PaymentLink.objects.update(expires_at=utc_now() - timedelta(seconds=1))

    body = api(None).get(f"/v1/pay/{merchant.slug}/{link.id}").json()

    assert (body["status"], body["is_active"]) == ("expired", False)


@pytest.mark.parametrize("wrong", ["slug", "id"])
def test_it_knows_a_link_at_its_own_address_only(api, merchant, stranger, link, wrong):
    slug = stranger.slug if wrong == "slug" else merchant.slug
    link_id = link.id if wrong == "slug" else f"{link.id[:-1]}_"

    response = api(None).get(f"/v1/pay/{slug}/{link_id}")

    assert response.status_code == 404
    assert response.json()["code"] == "PAYMENT_LINK_NOT_FOUND"


def test_it_refuses_the_link_of_a_suspended_merchant(api, merchant, link):
    Merchant.objects.update(status=MerchantStatus.SUSPENDED)

    response = api(None).get(f"/v1/pay/{merchant.slug}/{link.id}")

    assert response.status_code == 422
    assert response.json()["code"] == "MERCHANT_INACTIVE"


def test_it_counts_an_opening_without_writing(
    api, merchant, link, settings, django_assert_num_queries
):
    settings.GATHER_SECONDS = 3600
    with django_assert_num_queries(1):
        api(None).get(f"/v1/pay/{merchant.slug}/{link.id}")

    write_counts()

    link.refresh_from_db()
    assert link.opened_count == 1


@pytest.mark.parametrize(
    ("form", "content_type", "draw"),
    [("png", "image/png", qr.png), ("svg", "image/svg+xml", qr.svg)],
)
def test_its_picture_is_drawn_and_kept(api, merchant, link, form, content_type, draw):
    response = api(None).get(f"/pay/{merchant.slug}/{link.id}/qr.{form}")

    assert response.status_code == 200
    assert response["Content-Type"] == content_type
    assert response["Cache-Control"] == "public, max-age=31536000, immutable"
    assert response.content == draw(f"http://testserver/pay/{merchant.slug}/{link.id}")


def test_the_address_in_qr_code_is_the_picture(api, merchant, link):
    body = api(merchant).get(f"/v1/payment-links/{link.id}").json()

    response = api(None).get(body["qr_code"].removeprefix("http://testserver"))

    assert response["Content-Type"] == "image/png"


def test_the_picture_of_an_unknown_link_is_not_drawn(api, merchant, stranger, link):
    assert api(None).get(f"/pay/{stranger.slug}/{link.id}/qr.png").status_code == 404
    assert api(None).post(f"/pay/{merchant.slug}/{link.id}/qr.png").status_code == 405
