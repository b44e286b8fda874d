"""What a list between two dates shows as its `total`: whole days from counts that are kept."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from core import tasks
from core.clock import utc_now
from core.models import CountEntry, PeriodCount
from core.schema import KeepCountByDay
from core.whole_days import WholeDays
from merchants.models import Merchant
from payments.counts import PAYMENTS
from payments.expiry import expire_due
from payments.models import Payment
from payments.statuses import PaymentStatus
from tests.client import Api
from tests.factories import PaymentFactory
from tests.payments.journeys import bring_to

pytestmark = pytest.mark.django_db

# On both sides of midnight, of a month's end and of a year's.
CREATED = (
    "2024-12-31T23:59:59.999Z",
    "2025-01-01T00:00:00.000Z",
    "2025-03-09T23:59:59.999Z",
    "2025-03-10T00:00:00.000Z",
    "2025-03-10T12:00:00.000Z",
    "2025-03-10T23:59:59.999Z",
    "2025-03-11T00:00:00.000Z",
    "2025-04-01T00:00:00.000Z",
    "2026-01-01T00:00:00.000Z",
)
TODAY = "2026-07-14"
RANGES = (
    ({"start_date": "2025-03-10", "end_date": "2025-03-10"}, 3),
    ({"start_date": "2025-03-10T00:00:00Z", "end_date": "2025-03-11T00:00:00Z"}, 3),
    ({"start_date": "2025-03-09T23:59:59.999Z", "end_date": "2025-03-11T00:00:00.001Z"}, 5),
    ({"start_date": "2025-03-10T00:00:00.001Z", "end_date": "2025-03-10T23:59:59.999Z"}, 1),
    ({"start_date": "2025-03-10T12:00:00Z", "end_date": "2025-03-12T12:00:00Z"}, 3),
    ({"start_date": "2025-03-09T20:00:00-04:00", "end_date": "2025-03-10T20:00:00-04:00"}, 3),
    ({"start_date": "2025-03-09T18:59:59.999-05:00"}, 7),
    ({"start_date": "2025-03-11"}, 3),
    ({"end_date": "2025-03-11T00:00:00Z"}, 6),
    ({"start_date": "2025-01-01", "end_date": "2025-12-31"}, 7),
    ({"start_date": "2024-12-31", "end_date": "2026-01-01"}, 9),
    ({"start_date": "1970-01-01", "end_date": "9998-12-31"}, 9),
    ({"start_date": "2025-03-12", "end_date": "2025-03-10"}, 0),
    ({"start_date": "2025-03-11T00:00:00Z", "end_date": "2025-03-11T00:00:00Z"}, 0),
    ({"start_date": "2027-01-01"}, 0),
)


def created(merchant: Merchant, at: str, **fields: Any) -> Payment:
    later = datetime(2100, 1, 1, tzinfo=UTC)
    values = {"created_at": datetime.fromisoformat(at), "expires_at": later, **fields}
    return PaymentFactory.create(merchant=merchant, **values)


def total(api: Api, merchant: Merchant, path: str = "/v1/payments", **query: Any) -> int:
    # One row, so that no page is the whole list.
    response = api(merchant).get(path, {"limit": 1, **query})
    assert response.status_code == 200, response.json()
    return int(response.json()["total"])


def day(api: Api, merchant: Merchant, **query: Any) -> int:
    return total(api, merchant, start_date="2025-03-10", end_date="2025-03-10", **query)


@pytest.fixture
def several(merchant: Merchant) -> list[Payment]:
    return [created(merchant, at) for at in CREATED]


@pytest.mark.usefixtures("several")
def test_it_is_exact_between_any_dates(api: Api, merchant: Merchant, stranger: Merchant) -> None:
    created(stranger, "2025-03-10T12:00:00Z")
    expected = [number for _, number in RANGES]

    assert [total(api, merchant, **dates) for dates, _ in RANGES] == expected
    tasks.fold_counts()
    assert not CountEntry.objects.filter(is_sum=False).exists()
    assert [total(api, merchant, **dates) for dates, _ in RANGES] == expected
    call_command("recount")


@pytest.mark.usefixtures("several")
def test_whole_days_are_not_counted_again(api: Api, merchant: Merchant) -> None:
    tasks.fold_counts()
    kept = PeriodCount.objects.filter(list="payments", period="2025-03-10")
    assert kept.update(number=1_000) == 1

    assert day(api, merchant) == 1_000
    around = {"start_date": "2025-03-09T23:59:59.999Z", "end_date": "2025-03-11T00:00:00.001Z"}
    assert total(api, merchant, **around) == 1_002
    assert total(api, merchant) == 9


def test_a_status_counts_on_the_day_of_creation(api: Api, merchant: Merchant) -> None:
    payment = created(merchant, "2025-03-10T00:00:00Z", payment_mode="ORDER_PAY")
    created(merchant, "2025-03-10T09:00:00Z")
    tasks.fold_counts()

    bring_to(payment, PaymentStatus.COMPLETED)

    for _ in range(2):
        assert day(api, merchant) == 2
        assert day(api, merchant, status="completed") == 1
        assert day(api, merchant, status="created") == 1
        assert day(api, merchant, status="completed", payment_mode="ORDER_PAY") == 1
        assert day(api, merchant, status="completed", payment_mode="DYNAMIC_PAY") == 0
        assert total(api, merchant, start_date="2025-03-11", status="completed") == 0
        tasks.fold_counts()


def test_one_that_is_overdue_counts_as_expired_on_its_day(api: Api, merchant: Merchant) -> None:
    for at in ("2025-03-10T10:00:00Z", "2025-03-11T10:00:00Z"):
        created(merchant, at, expires_at=utc_now())
    created(merchant, "2025-03-10T11:00:00Z")
    tasks.fold_counts()

    for _ in range(2):
        assert day(api, merchant, status="expired") == 1
        assert day(api, merchant, status="created") == 1
        assert total(api, merchant, status="expired", start_date="2025-03-10T12:00:00Z") == 1
        expire_due(now=utc_now())


def test_other_filters_count_their_rows(api: Api, merchant: Merchant) -> None:
    for reference in ("R-1", "R-1", "R-2"):
        created(merchant, "2025-03-10T10:00:00Z", reference=reference)
    tasks.fold_counts()

    assert day(api, merchant, reference="R-1") == 2
    assert day(api, merchant, q="R-2") == 1
    assert day(api, merchant, amount_min=1_251) == 0


def test_what_goes_is_taken_from_its_day(api: Api, merchant: Merchant, several) -> None:
    tasks.fold_counts()
    Payment.objects.filter(pk=several[4].pk)._raw_delete("default")

    assert day(api, merchant) == 2
    tasks.fold_counts()
    assert day(api, merchant) == 2


def test_what_is_created_now_is_of_today(api: Api, merchant: Merchant) -> None:
    for _ in range(2):
        api(merchant).post("/v1/payments", {"amount": 500})
    today = utc_now().date()

    for _ in range(2):
        assert total(api, merchant, start_date=today.isoformat()) == 2
        assert total(api, merchant, end_date=(today - timedelta(days=1)).isoformat()) == 0
        tasks.fold_counts()


def test_events_deliveries_and_refunds_are_counted_by_day(api: Api, merchant: Merchant) -> None:
    client = api(merchant)
    hook = client.post("/v1/webhooks", {"url": "https://shop.example.com", "events": ["*"]}).json()
    payment = client.post("/v1/payments", {"amount": 500}).json()
    client.post(f"/v1/payments/{payment['id']}/confirm")
    for _ in range(2):
        client.post(f"/v1/payments/{payment['id']}/refund", {"amount": 100})
    tasks.fold_counts()
    assert PeriodCount.objects.filter(list="refunds").update(number=70) == 3
    assert PeriodCount.objects.filter(kind="refund.created").update(number=80) == 3
    assert PeriodCount.objects.filter(list="deliveries").update(number=90) == 3
    today = {"start_date": utc_now().date().isoformat(), "end_date": utc_now().date().isoformat()}

    assert total(api, merchant, "/v1/refunds", status="succeeded", **today) == 70
    assert total(api, merchant, "/v1/events", type="refund.created", **today) == 80
    assert total(api, merchant, f"/v1/webhooks/{hook['id']}/deliveries", **today) == 90


@pytest.mark.usefixtures("several")
def test_recount_names_a_wrong_day_and_puts_it_right(api: Api, merchant: Merchant) -> None:
    tasks.fold_counts()
    PeriodCount.objects.filter(period="2025-03-10").update(number=7)
    PeriodCount.objects.filter(period="2025-04").delete()

    with pytest.raises(CommandError, match="2 counts are wrong"):
        call_command("recount")
    call_command("recount", repair=True)

    call_command("recount")
    assert day(api, merchant) == 3
    assert total(api, merchant, start_date="2025-04-01", end_date="2025-12-31") == 1


def test_the_version_before_adds_to_days_without_knowing_of_them(
    api: Api, merchant: Merchant, several
) -> None:
    first = CountEntry.objects.filter(list="payments").order_by("id")[:4]
    with connection.cursor() as cursor:
        for entry in first:
            cursor.execute("DELETE FROM core_countentry WHERE id = %s", [entry.id])

    assert day(api, merchant) == 3
    days = PeriodCount.objects.filter(period__startswith="2025-03-")
    assert set(days.values_list("period", "number")) == {("2025-03-09", 1), ("2025-03-10", 1)}


def test_days_before_the_migration_are_counted_by_it(api: Api, merchant: Merchant, several) -> None:
    editor = connection.SchemaEditorClass(connection, atomic=False)
    by_day = KeepCountByDay(PAYMENTS)
    by_day.database_backwards("payments", editor, None, None)
    bring_to(several[3], PaymentStatus.CANCELED)
    bring_to(created(merchant, "2025-03-10T10:00:00Z"), PaymentStatus.CANCELED)
    assert not CountEntry.objects.filter(list="payments", status="canceled").exclude(day=None)
    tasks.fold_counts()
    created(merchant, "2025-03-10T11:00:00Z")

    by_day.database_forwards("payments", editor, None, None)
    bring_to(several[4], PaymentStatus.CANCELED)

    for _ in range(2):
        assert day(api, merchant) == 5
        assert day(api, merchant, status="canceled") == 3
        call_command("recount")
        tasks.fold_counts()


DATES: tuple[tuple[Mapping[str, str], list[str]], ...] = (
    ({"created_at__gte": "2025-03-10", "created_at__lt": "2025-03-11"}, ["2025-03-10"]),
    (
        {"created_at__gte": "2023-11-29T10:00", "created_at__lt": "2026-02-02T10:00"},
        ["2023-11-30", "2023-12", "2024", "2025", "2026-01", "2026-02-01"],
    ),
    ({"created_at__gte": "2024-02-01", "created_at__lt": "2024-03-01"}, ["2024-02"]),
    ({"created_at__gte": "2026-07-13", "created_at__lt": "9999-01-01"}, ["2026-07-13", TODAY]),
    ({"created_at__gte": "2026-07-14"}, [TODAY]),
    ({"created_at__gte": "2026-07-13T00:00:00.001"}, [TODAY]),
)


@pytest.mark.parametrize(("dates", "periods"), DATES)
def test_a_range_is_made_up_of_as_few_periods_as_can_be(
    dates: Mapping[str, str], periods: list[str]
) -> None:
    lookups = {
        name: datetime.fromisoformat(f"{at}+00:00" if "T" in at else f"{at}T00:00+00:00")
        for name, at in dates.items()
    }
    days = WholeDays.within(lookups, datetime(2026, 7, 14, 15, tzinfo=UTC))

    assert days is not None
    assert days.periods() == periods


def test_years_are_read_by_few_periods_however_many_they_are() -> None:
    days = WholeDays.within({}, datetime(2026, 11, 30, 23, 59, tzinfo=UTC))

    assert days is not None
    assert len(days.periods()) == 56 + 11  # the years from 1970 on, and the months of this one


@pytest.mark.parametrize(
    ("first", "end"), [("10T00:00:00.001", "11T23:59"), ("11T00:00", "11T00:00")]
)
def test_less_than_a_day_has_no_whole_one(first: str, end: str) -> None:
    at = [datetime.fromisoformat(f"2025-03-{it}+00:00") for it in (first, end)]
    lookups = {"created_at__gte": at[0], "created_at__lt": at[1]}

    assert WholeDays.within(lookups, utc_now()) is None
