"""POST /v1/statements: periods that it refuses."""

from datetime import UTC, datetime, timedelta

import pytest

from core.clock import iso
from merchants.models import Merchant
from payouts.models import AccountStatement
from tests.client import Api

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
