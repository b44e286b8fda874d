"""What an account saw in a period is read from an index, however much came before and after."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from core.clock import utc_now
from ledger import history
from ledger.history import PeriodSums, count_since, lines_between, sums_between
from ledger.models import Account, Purpose
from merchants.models import Merchant
from tests.payouts.merchant_balance import credit

pytestmark = pytest.mark.django_db


@pytest.fixture
def account(merchant: Merchant) -> Account:
    """An account with a movement in each of the last five hours, in and out by turns."""
    for hours in range(5, 0, -1):
        credit(merchant, 100 if hours % 2 else -50, at=utc_now() - timedelta(hours=hours))
    return Account.objects.get(purpose=Purpose.MERCHANT)


@pytest.mark.sqlite
@pytest.mark.parametrize("since", ["a period", "ever since"])
def test_each_side_is_read_from_its_index(account: Account, since: str) -> None:
    start = utc_now() - timedelta(hours=2)
    end = utc_now() if since == "a period" else None

    plans = [rows.explain() for rows, _ in history._sides(account, start, end)]

    for plan, index in zip(plans, ("transfer_credits_at", "transfer_debits_at"), strict=True):
        assert f"{index} (" in plan
        assert "created_at>?" in plan


def test_pages_join_without_a_gap(account: Account) -> None:
    start, end = utc_now() - timedelta(hours=6), utc_now()
    position, after_id, amounts = start, 0, []

    while page := lines_between(account, start_at=position, end_at=end, after_id=after_id, limit=2):
        amounts += [line.amount for line in page]
        position, after_id = page[-1].created_at, page[-1].id

    assert amounts == [100, -50, 100, -50, 100]


def test_it_counts_no_further_than_told(account: Account) -> None:
    start = utc_now() - timedelta(hours=6)

    assert count_since(account, start, most=10) == 5
    assert count_since(account, start, most=1) == 2


def test_sums_and_balance_are_of_one_instant(account: Account, merchant: Merchant) -> None:
    """What is paid in between the statements that are sent has no part in them."""
    start, end = utc_now() - timedelta(hours=4, minutes=30), utc_now() - timedelta(minutes=90)
    sent: list[str] = []

    def pay_in_between(execute: Any, sql: str, *given: Any) -> Any:
        sent.append(sql)
        if len(sent) == 2:
            credit(merchant, 700)
        return execute(sql, *given)

    with connection.execute_wrapper(pay_in_between):
        sums = sums_between(account, start_at=start, end_at=end)

    assert len(sent) == 1
    assert sums == PeriodSums(amount=-50 + 100 - 50, lines_count=3, closing_amount=100)
