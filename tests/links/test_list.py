"""GET /v1/payment-links"""

from datetime import timedelta

import pytest

from core.clock import iso, utc_now
from links.models import PaymentLink
from tests.links.conftest import new_link
from tests.links.paying_by_link import use

PATH = "/v1/payment-links"


def test_it_lists_the_newest_first(api, merchant):
    links = [new_link(api, merchant, amount=amount) for amount in (1, 2, 3)]

    body = api(merchant).get(PATH, {"limit": "2"}).json()

    assert [link["id"] for link in body["payment_links"]] == [links[2].id, links[1].id]
    assert (body["total"], body["limit"], body["offset"]) == (3, 2, 0)
    assert "statistics" not in body["payment_links"][0]


def test_it_goes_on_after_a_link(api, merchant):
    links = [new_link(api, merchant) for _ in range(3)]

    body = api(merchant).get(PATH, {"starting_after": links[1].id}).json()

    assert [link["id"] for link in body["payment_links"]] == [links[0].id]


def test_it_shows_how_often_each_was_used(api, merchant):
    links = [new_link(api, merchant), new_link(api, merchant, max_uses=5)]
    for link in (*links, links[0]):
        use(link.id)

    body = api(merchant).get(PATH).json()

    assert [link["uses_count"] for link in body["payment_links"]] == [1, 2]


def test_it_filters_by_what_a_reader_sees(api, merchant):
    active = new_link(api, merchant)
    overdue = new_link(api, merchant, expires_at=iso(utc_now() + timedelta(hours=1)))
    PaymentLink.objects.filter(pk=overdue.pk).update(expires_at=utc_now() - timedelta(seconds=1))
    spent = new_link(api, merchant, max_uses=1)
    use(spent.id)
    gone = new_link(api, merchant)
    api(merchant).post(f"{PATH}/{gone.id}/deactivate")

    for status, link in {
        "active": active,
        "expired": overdue,
        "used_up": spent,
        "deactivated": gone,
    }.items():
        body = api(merchant).get(PATH, {"status": status}).json()
        assert [(found["id"], found["status"]) for found in body["payment_links"]] == [
            (link.id, status)
        ]


def test_it_filters_by_date(api, merchant, link):
    tomorrow = iso(utc_now() + timedelta(days=1))

    assert api(merchant).get(PATH, {"start_date": tomorrow}).json()["total"] == 0
    assert api(merchant).get(PATH, {"end_date": tomorrow}).json()["total"] == 1


@pytest.mark.parametrize(
    "query",
    [
        {"status": "paused"},
        {"limit": "0"},
        {"offset": "-1"},
        {"start_date": "2026-13-40"},
        {"starting_after": "link_x"},
    ],
)
def test_it_refuses_a_query_it_does_not_understand(api, merchant, query):
    response = api(merchant).get(PATH, query)

    assert response.status_code == 400
    assert response.json()["code"] == "INVALID_REQUEST"


def test_it_lists_nothing_of_another_merchant_or_mode(api, merchant, stranger, link):
    assert api(stranger).get(PATH).json()["payment_links"] == []
    assert api(merchant, live=True).get(PATH).json()["payment_links"] == []


def test_its_queries_do_not_grow_with_the_links(api, merchant, django_assert_num_queries):
    for _ in range(5):
        use(new_link(api, merchant).id)
    client = api(merchant)

    with django_assert_num_queries(1):  # the page with its total; the key is known by now
        client.get(PATH, {"limit": "3"})
