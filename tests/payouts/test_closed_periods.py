"""A host whose clock is slow posts nothing into a period whose statement has been made"""

from datetime import datetime, timedelta
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.db import connection

from core.clock import ClockRefused, iso, utc_now
from core.clock_check import task_now
from core.database_clock import database_now
from ledger.models import Account, Purpose, Transfer
from merchants.models import Merchant
from payouts.tasks import make_statements
from tests.client import Api
from tests.ledger.funding import problems
from tests.payouts.merchant_balance import credit
from tests.wild_ticks import off_by

pytestmark = pytest.mark.django_db
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
end_periods_ahead = import_module("ledger.migrations.0011_no_period_ahead").end_periods_ahead


def statement_of(api: Api, merchant: Merchant, start: datetime, end: datetime) -> dict[str, Any]:
    body = {"start_at": iso(start), "end_at": iso(end)}
    made: dict[str, Any] = api(merchant).post("/v1/statements", body).json()
    return made


def test_what_comes_late_is_of_the_next_period(api: Api, merchant: Merchant) -> None:
    end = utc_now() - 2 * HOUR
    credit(merchant, 500, at=end - HOUR)
    made = statement_of(api, merchant, end - 4 * HOUR, end)
    assert (made["status"], made["closing_amount"]) == ("ready", 500)

    with off_by(-3 * HOUR):  # the clock of this host alone
        credit(merchant, 70)

    assert Transfer.objects.latest("id").created_at == end
    later = statement_of(api, merchant, end, end + HOUR)
    assert (later["opening_amount"], later["closing_amount"]) == (500, 570)
    again = statement_of(api, merchant, end - 4 * HOUR, end)
    assert (again["lines_count"], again["closing_amount"]) == (1, 500)
    assert problems() == []


def test_what_is_in_time_bears_its_own_time(api: Api, merchant: Merchant) -> None:
    credit(merchant, 500, at=utc_now() - 3 * HOUR)
    statement_of(api, merchant, utc_now() - 4 * HOUR, utc_now() - 2 * HOUR)
    at = utc_now() - HOUR

    credit(merchant, 70, at=at)

    assert Transfer.objects.latest("id").created_at == at


def test_an_earlier_period_opens_no_later_one_again(api: Api, merchant: Merchant) -> None:
    now = utc_now()
    credit(merchant, 500, at=now - 6 * HOUR)
    for hours in (1, 3):
        statement_of(api, merchant, now - 7 * HOUR, now - hours * HOUR)

    credit(merchant, 70, at=now - 2 * HOUR)

    assert Transfer.objects.latest("id").created_at == now - HOUR


@pytest.mark.parametrize("days", [1, 2, 400])
def test_a_clock_that_is_slow_by_days_changes_no_statement(
    api: Api, merchant: Merchant, days: int
) -> None:
    end = utc_now() - HOUR
    credit(merchant, 500, at=end - HOUR)
    made = statement_of(api, merchant, end - 500 * DAY, end)

    with off_by(-days * DAY):
        credit(merchant, 70)

    assert Transfer.objects.latest("id").created_at == end
    again = statement_of(api, merchant, end - 500 * DAY, end)
    assert {**again, "id": 0, "created_at": 0, "ready_at": 0} == {
        **made, "id": 0, "created_at": 0, "ready_at": 0
    }  # fmt: skip


@pytest.mark.parametrize("days", [2, 400])
def test_a_clock_that_has_leapt_ahead_closes_nothing(
    api: Api, merchant: Merchant, days: int
) -> None:
    credit(merchant, 500)
    task_now()

    with off_by(days * DAY):
        now = utc_now()
        made = statement_of(api, merchant, now - 500 * DAY, now - HOUR)
        assert made["status"] == "pending"
        with pytest.raises(ClockRefused):
            make_statements()

    account = Account.objects.get(owner=merchant.id, purpose=Purpose.MERCHANT)
    assert account.closed_until is None
    at = utc_now()
    credit(merchant, 70, at=at)
    assert Transfer.objects.latest("id").created_at == at


def test_a_period_that_was_closed_ahead_ends_with_the_upgrade(merchant: Merchant) -> None:
    credit(merchant, 500)
    Account.objects.update(closed_until=utc_now() + 4_000 * DAY)

    end_periods_ahead(apps, connection.schema_editor())

    closed = Account.objects.get(owner=merchant.id, purpose=Purpose.MERCHANT).closed_until
    assert closed is not None
    assert closed <= database_now() + HOUR
