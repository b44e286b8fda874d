"""A statement whose period has just ended: what it shows, and when to ask for its lines."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine

from core.clock import iso, utc_now
from ledger.models import Purpose
from ledger.services import accounts_for
from merchants.models import Merchant
from payouts import account_statements
from payouts.account_statements import make_due
from payouts.models import AccountStatement
from payouts.retention import delete_old_statements
from tests.client import Api
from tests.payouts.merchant_balance import credit

pytestmark = pytest.mark.django_db
PATH = "/v1/statements"


def test_its_lines_say_when_to_ask_again(api: Api, merchant: Merchant) -> None:
    end = utc_now()
    body = {"start_at": iso(end - timedelta(days=1)), "end_at": iso(end - timedelta(seconds=20))}
    statement = api(merchant).post(PATH, body).json()

    assert statement["status"] == "pending"
    assert not [name for name in statement if name.endswith(("_amount", "_count"))]
    refused = api(merchant).get(f"{PATH}/{statement['id']}/lines")
    assert (refused.status_code, refused.json()["code"]) == (409, "CONFLICT")
    assert refused.json()["details"] == "status: is pending; ask again after 40 seconds"
    assert refused["Retry-After"] == "40"


def test_they_are_kept_for_a_month(api: Api, merchant: Merchant) -> None:
    now, month = utc_now(), timedelta(days=30)
    for number, kept in enumerate((month, month + timedelta(milliseconds=1)), 1):
        at = now - timedelta(days=number)
        body = {"start_at": iso(at), "end_at": iso(at + timedelta(hours=1))}
        made = api(merchant).post(PATH, body).json()["id"]
        AccountStatement.objects.filter(pk=made).update(created_at=now - kept)

    assert delete_old_statements(now=now) >= 1

    assert AccountStatement.objects.get().created_at == now - month
    assert delete_old_statements(now=now) == 0


def test_what_a_turn_has_no_time_for_waits_for_the_next(
    api: Api, merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    end = utc_now()
    body = {"start_at": iso(end - timedelta(days=1)), "end_at": iso(end - timedelta(seconds=20))}
    made = api(merchant).post(PATH, body).json()["id"]
    later = end + timedelta(minutes=2)
    with monkeypatch.context() as busy:
        busy.setattr(account_statements, "TURN_SECONDS", 0)
        assert make_due(now=later) == 0
    assert api(merchant).get(f"{PATH}/{made}").json()["status"] == "pending"

    assert make_due(now=later) == 1

    assert api(merchant).get(f"{PATH}/{made}").json()["status"] == "ready"


def of_last_hour(api: Api, merchant: Merchant, *, live: bool = False, **body: str) -> Any:
    """Ask for a statement of the hour up to a minute ago."""
    end = utc_now() - timedelta(minutes=1)
    period = {"start_at": iso(end - timedelta(hours=1)), "end_at": iso(end)}
    return api(merchant, live=live).post(PATH, {**period, **body}).json()


def test_one_that_ended_a_minute_ago_is_ready(api: Api, merchant: Merchant) -> None:
    with time_machine.travel(utc_now(), tick=False):
        assert of_last_hour(api, merchant)["status"] == "ready"


@pytest.mark.parametrize(("count", "status"), [(2, "ready"), (3, "pending"), (4, "pending")])
def test_one_that_fills_a_part_is_made_later(
    api: Api, merchant: Merchant, monkeypatch: pytest.MonkeyPatch, count: int, status: str
) -> None:
    monkeypatch.setattr(account_statements, "PART_LINES", 3)
    for _ in range(count):
        credit(merchant, 100, at=utc_now() - timedelta(minutes=5))

    made = of_last_hour(api, merchant)

    assert made["status"] == status
    if status == "pending":
        lines = api(merchant).get(f"{PATH}/{made['id']}/lines")
        assert (lines.status_code, lines["Retry-After"]) == (409, "1")
        assert make_due(now=utc_now()) == 1
        assert api(merchant).get(f"{PATH}/{made['id']}").json()["closing_amount"] == 100 * count


def test_one_too_many_may_be_asked_for_as_the_first_is_read(
    api: Api, merchant: Merchant, stranger: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(account_statements, "MOST_PENDING", 2)
    end = utc_now()

    def ask(seconds: int, asker: Merchant = merchant) -> Any:
        period = {"start_at": "2026-01-01T00:00:00Z", "end_at": iso(end - timedelta(0, seconds))}
        return api(asker).post(PATH, period)

    assert [ask(seconds).json()["status"] for seconds in (50, 20)] == ["pending", "pending"]
    refused = ask(30)
    assert (refused.status_code, refused["Retry-After"]) == (409, "10")
    rule = "is pending for as many as there may be at once; ask again after 10 seconds"
    assert refused.json()["details"] == f"status: {rule}"
    assert ask(30, stranger).status_code == 201
    monkeypatch.setattr(account_statements, "MOST_PENDING", 1)  # there are more, as after a race
    assert ask(30).status_code == 409


def test_those_that_are_ready_keep_no_place(
    api: Api, merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(account_statements, "MOST_PENDING", 1)

    assert [of_last_hour(api, merchant)["status"] for _ in range(2)] == ["ready", "ready"]


def test_it_is_of_the_balance_in_its_currency_and_mode(api: Api, merchant: Merchant) -> None:
    accounts_for((merchant.pk, Purpose.PAYOUTS), currency="BSD", livemode=False)
    amounts = {("BSD", False): 100, ("USD", False): 200, ("BSD", True): 300}
    for (currency, livemode), amount in amounts.items():
        at = utc_now() - timedelta(minutes=5)
        credit(merchant, amount, currency=currency, livemode=livemode, at=at)

    made = {
        (currency, live): of_last_hour(api, merchant, live=live, currency=currency)
        for currency in ("BSD", "USD")
        for live in (False, True)
    }

    found = {place: statement["closing_amount"] for place, statement in made.items()}
    assert found == {**amounts, ("USD", True): 0}
