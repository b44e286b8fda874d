"""GET /v1/refunds, GET /v1/refunds/:id, GET /v1/payments/:id/refunds"""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.clock import iso
from refunds.models import Refund
from tests.payouts.merchant_balance import credit
from tests.refunds.refunding import REFUNDS_FAIL_PHONE, refund, sell, sell_live

pytestmark = pytest.mark.django_db
LISTS = ("/v1/refunds", "/v1/payments/{payment}/refunds")


@pytest.fixture
def refunds(api, paid):
    """Seven refunds of one payment, a minute apart, newest first."""
    made = [refund(api, paid, 100 + part).json()["id"] for part in range(7)]
    for age, refund_id in enumerate(reversed(made)):
        at = paid.created_at - timedelta(minutes=age)
        Refund.objects.filter(pk=refund_id).update(created_at=at)
    return list(Refund.objects.order_by("-created_at"))


def ids(api, merchant, path="/v1/refunds", **query):
    response = api(merchant).get(path, query)
    assert response.status_code == 200, response.json()
    return [item["id"] for item in response.json()["refunds"]]


def test_it_reads_one_as_it_was_answered(api, paid):
    made = refund(api, paid, 250)

    read = api(paid.merchant).get(made["Location"])

    assert (read.status_code, read.json()) == (200, made.json())


@pytest.mark.parametrize("path", LISTS)
def test_it_lists_the_newest_first(api, merchant, paid, refunds, path):
    page = api(merchant).get(path.format(payment=paid.id)).json()

    assert (page["total"], page["limit"], page["offset"]) == (7, 20, 0)
    assert [item["id"] for item in page["refunds"]] == [each.id for each in refunds]
    assert page["refunds"][0] == api(merchant).get(f"/v1/refunds/{refunds[0].id}").json()


@pytest.mark.parametrize("path", LISTS)
def test_it_pages_by_offset_and_by_cursor(api, merchant, paid, refunds, path):
    names, path = [each.id for each in refunds], path.format(payment=paid.id)

    assert ids(api, merchant, path, limit=3, offset=3) == names[3:6]
    assert ids(api, merchant, path, limit=3, starting_after=names[2]) == names[3:6]
    assert ids(api, merchant, path, starting_after=names[-1]) == []


def test_it_filters_by_status(api, merchant):
    made = {
        "succeeded": refund(api, sell(merchant, 10)),
        "failed": refund(api, sell(merchant, 10, phone=REFUNDS_FAIL_PHONE)),
    }
    sale = sell(merchant, 10_000)
    credit(merchant, -10_000)
    made["pending"] = refund(api, sale)

    for status, response in made.items():
        assert ids(api, merchant, status=status) == [response.json()["id"]]


def test_it_filters_by_payment(api, merchant, stranger, paid):
    of_paid = refund(api, paid).json()["id"]
    other = sell(merchant, 10)
    of_other = refund(api, other).json()["id"]
    refund(api, sell(stranger, 10))

    assert ids(api, merchant, payment_id=paid.id) == [of_paid]
    assert ids(api, merchant, f"/v1/payments/{other.id}/refunds") == [of_other]
    assert ids(api, merchant, payment_id="pay_0") == []


def test_it_filters_by_creation(api, merchant, refunds):
    moment = iso(refunds[2].created_at)

    assert len(ids(api, merchant, start_date=moment)) == 3
    assert len(ids(api, merchant, end_date=moment)) == 4
    assert ids(api, merchant, end_date="2020-01-01") == []


@pytest.mark.parametrize(
    ("query", "rule"),
    [
        ({"status": "done"}, "status: must be one of pending, succeeded, failed"),
        ({"start_date": "soon"}, "start_date: must be an ISO 8601 date"),
        ({"limit": "0"}, "limit: must be a whole number from 1"),
        ({"starting_after": "ref_0"}, "starting_after: must be the id of an object in this list"),
        ({"status": ["failed", "pending"]}, "status: must be given once"),
    ],
)
def test_it_refuses_what_it_cannot_read(api, merchant, query, rule):
    response = api(merchant).get("/v1/refunds", query)

    assert (response.status_code, response.json()["code"]) == (400, "INVALID_REQUEST")
    assert response.json()["details"].startswith(rule)


def test_a_cursor_of_another_list_is_refused(api, merchant, stranger, paid):
    foreign = refund(api, sell(stranger, 10)).json()["id"]
    elsewhere = refund(api, sell(merchant, 10)).json()["id"]

    for path, cursor in (("/v1/refunds", foreign), (f"/v1/payments/{paid.id}/refunds", elsewhere)):
        response = api(merchant).get(path, {"starting_after": cursor})
        assert (response.status_code, response.json()["code"]) == (400, "INVALID_REQUEST")


def test_it_shows_own_refunds_of_the_mode_only(api, merchant, stranger, paid):
    test, live = refund(api, paid).json()["id"], refund(api, sell_live(merchant, 10)).json()["id"]

    assert ids(api, merchant) == [test]
    assert ids(api, stranger) == []
    listed = api(merchant, live=True).get("/v1/refunds").json()["refunds"]
    assert [item["id"] for item in listed] == [live]


def test_it_hides_what_is_anothers_or_of_the_other_mode(api, merchant, stranger, paid):
    made = refund(api, paid).json()["id"]

    for path, code in (
        ("/v1/refunds/{}", "REFUND_NOT_FOUND"),
        ("/v1/payments/{}/refunds", "PAYMENT_NOT_FOUND"),
    ):
        found = path.format(made if code.startswith("REFUND") else paid.id)
        missing = api(merchant).get(path.format("x_0"))
        assert (missing.status_code, missing.json()["code"]) == (404, code)
        for client in (api(stranger), api(merchant, live=True)):
            assert client.get(found).status_code == 404
            assert client.get(found).content == missing.content


def test_the_number_of_statements_does_not_grow(api, merchant, refunds):
    api(merchant).get("/v1/refunds")

    with CaptureQueriesContext(connection) as queries:
        api(merchant).get("/v1/refunds", {"limit": 7})

    assert len(queries) <= 3
