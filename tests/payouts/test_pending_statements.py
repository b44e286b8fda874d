"""A statement whose period has just ended: what it shows, and when to ask for its lines."""

from datetime import timedelta

import pytest

from core.clock import iso, utc_now
from merchants.models import Merchant
from payouts import account_statements
from payouts.account_statements import make_due
from payouts.models import AccountStatement
from payouts.retention import delete_old_statements
from tests.client import Api

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
