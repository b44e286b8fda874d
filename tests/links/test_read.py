"""GET /v1/payment-links/:id"""

from links.models import PaymentLink
from tests.links.paying_by_link import use


def test_it_shows_the_link_with_its_statistics(api, merchant, link):
    response = api(merchant).get(f"/v1/payment-links/{link.id}")

    body = response.json()
    assert response.status_code == 200
    assert (body["id"], body["amount"], body["status"]) == (link.id, 1250, "active")
    assert body["statistics"] == {"opened": 0, "started": 0, "paid": 0, "collected": 0}


def test_it_counts_a_payment_at_once(api, merchant, link):
    use(link.id)
    use(link.id)

    body = api(merchant).get(f"/v1/payment-links/{link.id}").json()

    assert body["uses_count"] == 2
    assert body["statistics"]["paid"] == 2
    assert body["statistics"]["collected"] == 2500


def test_it_is_readable_in_development(api, link, development):
    assert api(None).get(f"/v1/payment-links/{link.id}").status_code == 200


def test_it_never_shows_a_live_link_in_development(api, merchant, link, development):
    PaymentLink.objects.update(livemode=True)

    assert api(None).get(f"/v1/payment-links/{link.id}").status_code == 404


def test_it_needs_a_key(api, link):
    assert api(None).get(f"/v1/payment-links/{link.id}").status_code == 401


def test_it_hides_another_merchants_link(api, stranger, link):
    foreign = api(stranger).get(f"/v1/payment-links/{link.id}")
    missing = api(stranger).get(f"/v1/payment-links/{link.id[:-1]}_")

    assert foreign.status_code == 404
    assert foreign.json()["code"] == "PAYMENT_LINK_NOT_FOUND"
    assert foreign.content == missing.content
