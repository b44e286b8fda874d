"""POST /v1/statements: periods that it refuses."""

from datetime import UTC, datetime, timedelta

import pytest

from core.clock import iso
from merchants.models import Merchant
from payouts.models import AccountStatement
from tests.client import Api
from tests.payouts.merchant_balance import credit

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 3, 17, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("start", "end", "fault"),
    [
        (NOON, NOON, "end_at: must be after start_at"),
        (NOON, NOON - timedelta(days=1), "end_at: must be after start_at"),
        (NOON, datetime(2026, 3, 19, tzinfo=UTC), "end_at: must not lie in the future"),
    ],
)
def test_it_refuses_no_period(
    api: Api, merchant: Merchant, start: datetime, end: datetime, fault: str
) -> None:
    body = {"start_at": iso(start), "end_at": iso(end)}

    response = api(merchant).post("/v1/statements", body)

    assert (response.status_code, response.json()["details"]) == (422, fault)
    assert AccountStatement.objects.count() == 0


def test_a_period_ends_where_it_says_so(api: Api, merchant: Merchant) -> None:
    credit(merchant, 500, at=NOON)
    fraction = (NOON + timedelta(microseconds=999)).isoformat()
    body = {"start_at": iso(NOON - timedelta(hours=1)), "end_at": fraction}

    first = api(merchant).post("/v1/statements", body).json()
    body = {"start_at": first["end_at"], "end_at": iso(NOON + timedelta(hours=1))}
    second = api(merchant).post("/v1/statements", body).json()

    assert [each["lines_count"] for each in (first, second)] == [0, 1]


@pytest.mark.parametrize("start", ["0001-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "soon"])
def test_it_says_which_instants_there_are(api: Api, merchant: Merchant, start: str) -> None:
    response = api(merchant).post("/v1/statements", {"start_at": start, "end_at": iso(NOON)})

    assert (response.status_code, response.json()["details"]) == (
        422,
        "start_at: must be an ISO 8601 instant with a time zone, from 1970 to 9998",
    )
