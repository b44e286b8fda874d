"""A statement whose period has just ended: what it shows, and when to ask for its lines."""

from datetime import timedelta

import pytest

from core.clock import iso, utc_now
from merchants.models import Merchant
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
