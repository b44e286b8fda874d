"""GET /v1/payments"""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.clock import iso, utc_now
from core.queries import read_filters
from merchants.callers import Caller
from merchants.models import Merchant
from payments.filters import FILTERS
from payments.models import Payment
from payments.statuses import PaymentStatus
from tests.client import Api
from tests.factories import PaymentFactory
from tests.payments.journeys import bring_to

pytestmark = pytest.mark.django_db


def ids(api: Api, merchant: Merchant, **query: object) -> list[str]:
    response = api(merchant).get("/v1/payments", query)
    assert response.status_code == 200, response.json()
    return [record["id"] for record in response.json()["payments"]]


def several(merchant: Merchant, count: int) -> list[Payment]:
    """Payments a minute apart, newest first."""
    at = utc_now()
    return [
        PaymentFactory(merchant=merchant, created_at=at - timedelta(minutes=age))
        for age in range(count)
    ]


def test_it_lists_the_newest_first(api: Api, merchant: Merchant) -> None:
    payments = several(merchant, 25)

    page = api(merchant).get("/v1/payments").json()

    assert (page["total"], page["limit"], page["offset"]) == (25, 20, 0)
    assert [record["id"] for record in page["payments"]] == [p.id for p in payments[:20]]
    assert "qr_payload" not in page["payments"][0]


def test_it_pages_by_offset_and_by_cursor(api: Api, merchant: Merchant) -> None:
    names = [payment.id for payment in several(merchant, 7)]

    assert ids(api, merchant, limit=3, offset=3) == names[3:6]
    assert ids(api, merchant, limit=3, starting_after=names[2]) == names[3:6]
    assert ids(api, merchant, starting_after=names[-1]) == []
    assert ids(api, merchant, limit=500) == names


def test_payments_of_one_moment_are_paged_without_gap(api: Api, merchant: Merchant) -> None:
    at = utc_now()
    made = {PaymentFactory(merchant=merchant, created_at=at).id for _ in range(5)}

    seen: list[str] = ids(api, merchant, limit=2)
    while more := ids(api, merchant, limit=2, starting_after=seen[-1]):
        seen += more

    assert len(seen) == 5
    assert set(seen) == made


@pytest.mark.parametrize("status", list(PaymentStatus))
def test_it_filters_by_status(api: Api, merchant: Merchant, status: PaymentStatus) -> None:
    found = {each: bring_to(PaymentFactory(merchant=merchant), each) for each in PaymentStatus}

    assert ids(api, merchant, status=status.value) == [found[status].id]


def test_an_overdue_payment_is_listed_as_expired(
    api: Api, merchant: Merchant, payment: Payment
) -> None:
    canceled = bring_to(PaymentFactory(merchant=merchant), PaymentStatus.CANCELED)
    Payment.objects.update(expires_at=utc_now())

    assert ids(api, merchant, status="created") == []
    assert ids(api, merchant, status="expired") == [payment.id]
    assert ids(api, merchant, status="canceled") == [canceled.id]
    assert api(merchant).get(f"/v1/payments/{payment.id}").json()["status"] == "expired"


def test_it_filters_by_what_was_given_at_creation(api: Api, merchant: Merchant) -> None:
    wanted = {
        "reference": PaymentFactory(
            merchant=merchant, payment_mode="REFERENCE_PAY", reference="R-1"
        ),
        "order_id": PaymentFactory(merchant=merchant, payment_mode="ORDER_PAY", order_id="R-1"),
        "invoice_number": PaymentFactory(
            merchant=merchant, payment_mode="INVOICE_PAY", invoice_number="R-1"
        ),
    }

    for name, payment in wanted.items():
        assert ids(api, merchant, **{name: "R-1"}) == [payment.id]
        assert ids(api, merchant, **{name: "R"}) == []
        assert ids(api, merchant, payment_mode=payment.payment_mode) == [payment.id]


def test_it_filters_by_customer_and_counter(api: Api, merchant: Merchant) -> None:
    counter = api(merchant).post("/v1/payments", {"payment_mode": "STATIC_PAY"}).json()
    confirm = f"/v1/payments/{counter['id']}/confirm"
    paid = api(merchant).post(confirm, {"amount": 300}).json()

    assert ids(api, merchant, static_payment_id=counter["id"]) == [paid["id"]]
    assert ids(api, merchant, customer_id=paid["customer_id"]) == [paid["id"]]


def test_it_filters_by_payment_link(api: Api, merchant: Merchant) -> None:
    links = [api(merchant).post("/v1/payment-links", {"amount": 300}).json() for _ in "ab"]
    through = [PaymentFactory(merchant=merchant, link_id=link["id"]).id for link in links]

    for link, payment_id in zip(links, through, strict=True):
        assert ids(api, merchant, payment_link_id=link["id"]) == [payment_id]


def test_it_filters_by_creation(api: Api, merchant: Merchant) -> None:
    newer, older = several(merchant, 2)
    moment = iso(newer.created_at)

    assert ids(api, merchant, start_date=moment) == [newer.id]
    assert ids(api, merchant, end_date=moment) == [older.id]
    day = newer.created_at.date()
    assert newer.id in ids(api, merchant, start_date=day.isoformat(), end_date=day.isoformat())
    before = (day - timedelta(days=2)).isoformat()
    assert ids(api, merchant, end_date=before) == []


def test_an_instant_without_a_zone_is_in_utc(
    api: Api, merchant: Merchant, payment: Payment
) -> None:
    created = payment.created_at.replace(tzinfo=None)
    assert ids(api, merchant, start_date=created.isoformat()) == [payment.id]
    assert ids(api, merchant, end_date=created.isoformat()) == []


@pytest.mark.parametrize("limit", ["101", "9223372036854775808", "9" * 60])
def test_a_limit_above_100_is_100(api: Api, merchant: Merchant, limit: str) -> None:
    assert api(merchant).get("/v1/payments", {"limit": limit}).json()["limit"] == 100


@pytest.mark.parametrize(
    "query",
    [
        {"limit": "0"},
        {"limit": "-1"},
        {"limit": "abc"},
        {"limit": "1.0"},
        {"limit": "٣"},
        {"offset": "-1"},
        {"offset": "9223372036854775808"},
        {"status": "done"},
        {"payment_mode": "x"},
        {"start_date": "garbage"},
        {"start_date": "2026-13-40"},
        {"end_date": "99999-01-01"},
        {"starting_after": "pay_unknown"},
        {"reference": "a\x00b"},
        {"limit": ["1", "2"]},
    ],
)
def test_it_refuses_what_it_cannot_read(
    api: Api, merchant: Merchant, query: dict[str, object]
) -> None:
    response = api(merchant).get("/v1/payments", query)

    assert (response.status_code, response.json()["code"]) == (400, "INVALID_REQUEST")
    assert set(response.json()) == {"error", "code", "details"}


@pytest.mark.parametrize("date", ["9999-12-31", "1969-12-31T23:59:59Z", "soon"])
def test_it_says_which_dates_it_takes(api: Api, merchant: Merchant, date: str) -> None:
    details = api(merchant).get("/v1/payments", {"end_date": date}).json()["details"]

    assert details == "end_date: must be an ISO 8601 date or instant, from 1970 to 9998"


def test_it_lists_own_payments_of_the_mode_only(
    api: Api, merchant: Merchant, stranger: Merchant, payment: Payment
) -> None:
    PaymentFactory(merchant=stranger)
    live = PaymentFactory(merchant=merchant, livemode=True)

    assert ids(api, merchant) == [payment.id]
    answer = api(merchant, live=True).get("/v1/payments").json()
    assert [record["id"] for record in answer["payments"]] == [live.id]


@pytest.mark.usefixtures("development")
def test_development_lists_one_merchant_or_all_test_payments(
    api: Api, merchant: Merchant, stranger: Merchant, payment: Payment
) -> None:
    other = PaymentFactory(merchant=stranger)
    PaymentFactory(merchant=merchant, livemode=True)

    one = api(None).get("/v1/payments", {"merchant_id": merchant.id}).json()
    assert [record["id"] for record in one["payments"]] == [payment.id]
    everything = api(None).get("/v1/payments").json()
    assert {record["id"] for record in everything["payments"]} == {payment.id, other.id}


def test_the_number_of_statements_does_not_grow(api: Api, merchant: Merchant) -> None:
    several(merchant, 30)
    api(merchant).get("/v1/payments")

    with CaptureQueriesContext(
        connection,
    ) as queries:
        api(merchant).get("/v1/payments", {"limit": 30})

    assert len(queries) <= 3


FILTERED = [
    {},
    {"status": "created"},
    {"status": "expired"},
    {"status": "completed", "payment_mode": "REFERENCE_PAY"},
    {"start_date": "2026-01-02", "end_date": "2026-01-03"},
    {"status": "created", "start_date": "2026-01-02T00:00:00.001Z", "reference": "r"},
    {"order_id": "o", "invoice_number": "i", "customer_id": "cus_1", "static_payment_id": "p"},
    {"payment_link_id": "link_1"},
]


@pytest.mark.parametrize("query", FILTERED, ids=str)
def test_its_first_page_is_what_the_queryset_finds(
    api: Api, merchant: Merchant, query: dict[str, str]
) -> None:
    day = datetime(2026, 1, 2, tzinfo=UTC)
    for minutes in range(4):
        at = day + timedelta(minutes=minutes)
        overdue = {"created_at": at, "expires_at": at, "reference": "r"}
        for status in ("created", "pending"):
            PaymentFactory(merchant=merchant, status=status, **overdue)
        PaymentFactory(merchant=merchant, created_at=at, reference="r")
    PaymentFactory(merchant=merchant, livemode=True, created_at=day, reference="r")
    caller = Caller(merchant, livemode=False, actor="tests")
    found = Payment.objects.listed(caller, read_filters(query, FILTERS), utc_now())
    wanted = list(found.order_by("-created_at", "-pk").values_list("pk", flat=True))

    page = api(merchant).get("/v1/payments", {**query, "limit": 3}).json()

    assert [record["id"] for record in page["payments"]] == wanted[:3]
    assert page["total"] == len(wanted)
