"""Pages far into a list begin where the counts of days say, and are the same as without them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from core import tasks
from core.models import PeriodCount
from merchants import caller_lists
from merchants.models import Merchant
from payments.statuses import PaymentStatus
from tests.client import Api
from tests.factories import PaymentFactory
from tests.payments.journeys import bring_to

pytestmark = pytest.mark.django_db

# Days, months and years apart, and several at one moment.
CREATED = (
    *("2024-12-31T23:59:59.999+00:00", "2025-01-01T00:00:00+00:00"),
    *["2025-03-10T12:00:00+00:00"] * 3,
    *("2025-03-31T23:59:59.999+00:00", "2025-04-01T00:00:00+00:00", "2026-02-01T09:00:00+00:00"),
)


@pytest.fixture(autouse=True)
def _near(monkeypatch) -> None:
    monkeypatch.setattr(caller_lists, "FAR", 1)


@pytest.fixture
def newest_first(merchant: Merchant, stranger: Merchant) -> list[str]:
    later = datetime(2100, 1, 1, tzinfo=UTC)
    made = [
        PaymentFactory(merchant=merchant, created_at=datetime.fromisoformat(at), expires_at=later)
        for at in CREATED
    ]
    PaymentFactory(merchant=stranger, created_at=made[4].created_at)
    bring_to(made[3], PaymentStatus.COMPLETED)
    ordered = sorted(made, key=lambda each: (each.created_at, each.id), reverse=True)
    return [each.id for each in ordered]


def page(api: Api, merchant: Merchant, offset: int, **query: Any) -> dict[str, Any]:
    found = api(merchant).get("/v1/payments", {"limit": 2, "offset": offset, **query}).json()
    return {**found, "payments": [each["id"] for each in found["payments"]]}


def test_it_is_the_same_page(api: Api, merchant: Merchant, newest_first) -> None:
    for _ in range(2):
        for offset in range(1, 10):
            found = page(api, merchant, offset)
            assert found["payments"] == newest_first[offset : offset + 2]
            assert (found["total"], found["offset"]) == (8, offset)
            assert found["has_more"] is (offset < 6)
        tasks.fold_counts()
        PeriodCount.objects.get(period="2025-03-31")


def test_what_is_newer_is_not_passed_over(api: Api, merchant: Merchant, newest_first) -> None:
    tasks.fold_counts()
    newest = PeriodCount.objects.filter(list="payments", period__startswith="2026")
    assert newest.update(number=1_000) == 3

    assert page(api, merchant, 1_001)["payments"] == newest_first[2:4]


@pytest.mark.each_on_postgres("each filter is another statement")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"status": "completed"}, 0),
        ({"status": "created"}, 6),
        ({"payment_mode": "DYNAMIC_PAY"}, 7),
        ({"start_date": "2025-02-01"}, 5),
        ({"end_date": "2025-03-10"}, 4),
        ({"amount": 1_250}, 7),
    ],
)
def test_other_filters_are_as_near(
    api: Api, merchant: Merchant, newest_first, query: dict[str, str], expected: int
) -> None:
    tasks.fold_counts()

    every = page(api, merchant, 0, limit=100, **query)["payments"]

    assert len(every) == expected + 1
    for offset in range(1, expected + 2):
        assert page(api, merchant, offset, **query)["payments"] == every[offset : offset + 2]


def test_after_a_payment_an_offset_counts_from_there(
    api: Api, merchant: Merchant, newest_first
) -> None:
    for _ in range(2):
        for place, anchor in enumerate(newest_first, start=1):
            for offset in range(1, 9):
                found = page(api, merchant, offset, starting_after=anchor)
                assert found["payments"] == newest_first[place + offset :][:2]
                assert (found["total"], found["offset"]) == (8, offset)
        tasks.fold_counts()


def test_after_a_payment_whole_days_are_not_passed_over(
    api: Api, merchant: Merchant, newest_first
) -> None:
    tasks.fold_counts()
    kept = PeriodCount.objects.filter(list="payments", status="created")
    assert kept.filter(period="2025-03-31").update(number=1_000)
    assert kept.filter(period="2025-03").update(number=1_002)

    found = page(api, merchant, 1_001, starting_after=newest_first[1])

    assert found["payments"] == newest_first[4:6]


def test_one_that_expires_is_passed_over_as_it_is_shown(
    api: Api, merchant: Merchant, newest_first
) -> None:
    long_ago = datetime(2025, 3, 10, 13, tzinfo=UTC)
    overdue = [
        PaymentFactory(
            merchant=merchant, created_at=long_ago, expires_at=long_ago + timedelta(hours=n)
        ).id
        for n in range(3)
    ]

    for _ in range(2):
        assert page(api, merchant, 1, status="expired")["payments"] == [overdue[1], overdue[0]]
        assert page(api, merchant, 6, status="created")["payments"] == newest_first[7:]
        tasks.fold_counts()
