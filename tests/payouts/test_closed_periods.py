"""A host whose clock is slow posts nothing into a period whose statement has been made"""

from datetime import datetime, timedelta
from typing import Any

import pytest

from core.clock import iso, utc_now
from ledger.models import Account, Purpose, Transfer
from merchants.models import Merchant
from tests.client import Api
from tests.ledger.funding import problems
from tests.payouts.merchant_balance import credit
from tests.wild_ticks import off_by

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)


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


def test_a_period_that_a_wild_clock_has_closed_holds_nothing_up(merchant: Merchant) -> None:
    credit(merchant, 500)
    account = Account.objects.get(owner=merchant.id, purpose=Purpose.MERCHANT)
    account.closed_until = utc_now() + timedelta(days=400)
    account.save(update_fields=["closed_until"])
    at = utc_now()

    credit(merchant, 70, at=at)

    assert Transfer.objects.latest("id").created_at == at
