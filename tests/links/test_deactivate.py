"""POST /v1/payment-links/:id/deactivate"""

from core.clock import iso
from tests.events import event_data, event_types
from tests.links.paying_by_link import use


def test_it_ends_the_link(api, merchant, link):
    use(link.id)

    response = api(merchant).post(f"/v1/payment-links/{link.id}/deactivate")

    body = response.json()
    assert response.status_code == 200
    assert (body["status"], body["is_active"], body["uses_count"]) == ("deactivated", False, 1)
    link.refresh_from_db()
    assert link.ended_by.startswith("key:key_")
    assert event_data("payment_link.deactivated") == {
        "payment_link_id": link.id,
        "merchant_id": merchant.id,
        "status": "deactivated",
        "deactivated_at": iso(link.ended_at),
    }


def test_it_refuses_a_repeat(api, merchant, link):
    api(merchant).post(f"/v1/payment-links/{link.id}/deactivate")

    response = api(merchant).post(f"/v1/payment-links/{link.id}/deactivate")

    assert response.status_code == 422
    assert response.json()["code"] == "PAYMENT_LINK_INACTIVE"
    assert response.json()["details"] == (
        "status: is deactivated; no one can pay through it any more"
    )
    assert event_types("payment_link.d") == ["payment_link.deactivated"]


def test_it_answers_a_repeat_under_the_same_key_alike(api, merchant, link):
    path = f"/v1/payment-links/{link.id}/deactivate"
    first = api(merchant).post(path, idempotency_key="stop")
    again = api(merchant).post(path, idempotency_key="stop")

    assert (again.status_code, again.content) == (200, first.content)


def test_it_hides_another_merchants_link(api, stranger, link):
    response = api(stranger).post(f"/v1/payment-links/{link.id}/deactivate")

    assert response.status_code == 404
    assert response.json()["code"] == "PAYMENT_LINK_NOT_FOUND"
    link.refresh_from_db()
    assert link.status == "active"
    assert event_types() == ["payment_link.created"]
