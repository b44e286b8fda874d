"""Which statement is the one that a new request would make again."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from core.clock import utc_now
from merchants.models import Merchant
from payouts.account_statements import request_statement, same_statement
from payouts.models import AccountStatement
from tests.backoffice.rows import caller_of

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
START = datetime(2026, 3, 1, tzinfo=UTC)
END = START + 3 * DAY
PERIOD: dict[str, Any] = {"start_at": START, "end_at": END}


@pytest.fixture
def made(merchant: Merchant) -> AccountStatement:
    caller = caller_of(merchant)
    return request_statement(caller=caller, currency="BSD", **PERIOD, now=utc_now())


def same(merchant: Merchant, **changes: Any) -> AccountStatement | None:
    asked = PERIOD | {"caller": caller_of(merchant), "currency": "BSD", "since": END - DAY}
    return same_statement(**asked | changes)


def test_it_is_the_one_of_the_same_period(made: AccountStatement, merchant: Merchant) -> None:
    assert same(merchant) == made
    assert same(merchant, end_at=END + DAY) == made, "nothing has moved since it ended"


def test_it_is_no_other_merchants(
    made: AccountStatement, merchant: Merchant, stranger: Merchant
) -> None:
    assert same(stranger) is None


@pytest.mark.parametrize(
    "other",
    [
        {"currency": "USD"},
        {"start_at": START + DAY},
        {"end_at": END - timedelta(hours=1)},
        {"since": END},
    ],
    ids=["currency", "start", "end", "day"],
)
def test_it_is_no_other_currencys_or_periods(
    made: AccountStatement, merchant: Merchant, other: dict[str, Any]
) -> None:
    assert same(merchant, **other) is None
