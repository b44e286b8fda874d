"""The sweep that ends links whose time has passed"""

from datetime import timedelta

import pytest

from core.clock import iso, utc_now
from core.errors import ApiError
from links import expiry
from links.expiry import expire_due
from links.models import PaymentLink
from links.services import expire_link
from tests.events import event_data, event_types
from tests.links.conftest import new_link


def test_it_expires_a_link_when_its_time_has_come(api, merchant):
    ends = utc_now() + timedelta(hours=1)
    link = new_link(api, merchant, expires_at=iso(ends))

    assert expire_due(now=ends - timedelta(milliseconds=1)) == 0
    assert expire_due(now=ends) == 1

    link.refresh_from_db()
    assert (link.status, link.ended_at) == ("expired", ends)
    assert event_data("payment_link.expired") == {
        "payment_link_id": link.id,
        "merchant_id": merchant.id,
        "status": "expired",
        "expired_at": iso(ends),
    }


def test_it_expires_a_link_once(api, merchant):
    ends = utc_now() + timedelta(hours=1)
    new_link(api, merchant, expires_at=iso(ends))

    assert [expire_due(now=ends), expire_due(now=ends)] == [1, 0]
    assert event_types("payment_link.e") == ["payment_link.expired"]


def test_one_that_cannot_be_expired_holds_up_no_other(api, merchant, monkeypatch):
    first, second = (
        new_link(api, merchant, expires_at=iso(utc_now() + timedelta(hours=hours)))
        for hours in (1, 2)
    )

    def expire(*, link_id, now):
        if link_id == first.id:
            raise ValueError("poison")
        return expire_link(link_id=link_id, now=now)

    monkeypatch.setattr(expiry, "expire_link", expire)
    assert expire_due(now=utc_now() + timedelta(hours=3)) == 1

    assert [PaymentLink.objects.get(pk=pk).status for pk in (first.pk, second.pk)] == [
        "active",
        "expired",
    ]
    assert event_types("payment_link.e") == ["payment_link.expired"]


def test_it_leaves_links_alone_that_have_ended_or_never_expire(api, merchant, link):
    ends = utc_now() + timedelta(hours=1)
    gone = new_link(api, merchant, expires_at=iso(ends))
    api(merchant).post(f"/v1/payment-links/{gone.id}/deactivate")

    assert expire_due(now=ends + timedelta(days=1)) == 0

    rows = PaymentLink.objects.order_by("id").values_list("status", flat=True)
    assert list(rows) == ["active", "deactivated"]


def test_one_that_was_given_more_time_meanwhile_stays_open(api, merchant):
    ends = utc_now() + timedelta(hours=1)
    link = new_link(api, merchant, expires_at=iso(ends))
    later = {"expires_at": iso(ends + timedelta(hours=1))}
    assert api(merchant).patch(f"/v1/payment-links/{link.id}", later).status_code == 200

    with pytest.raises(ApiError) as refused:
        expire_link(link_id=link.id, now=ends)

    assert refused.value.details == "status: is active; it can be paid, and deactivated"
    assert PaymentLink.objects.get().status == "active"
    assert event_types("payment_link.e") == []


def test_nothing_can_be_done_to_an_overdue_link_but_expire_it(api, merchant, link):
    PaymentLink.objects.update(expires_at=utc_now() - timedelta(seconds=1))

    response = api(merchant).post(f"/v1/payment-links/{link.id}/deactivate")

    assert response.status_code == 422
    assert response.json()["code"] == "PAYMENT_LINK_EXPIRED"


def test_live_links_expire_before_those_of_tests(api, merchant, monkeypatch):
    """Anyone makes as many of the others as they like."""
    monkeypatch.setattr("links.expiry.BATCH", 1)
    ends = utc_now() + timedelta(hours=1)
    new_link(api, merchant, expires_at=iso(ends - timedelta(minutes=1)))
    live = new_link(api, merchant, expires_at=iso(ends))
    PaymentLink.objects.filter(pk=live.pk).update(livemode=True)

    assert expire_due(now=ends) == 1

    assert PaymentLink.objects.get(status="expired").pk == live.pk
