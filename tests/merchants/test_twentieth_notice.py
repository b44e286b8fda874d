"""Two acts of a stolen live key at once, with room for one more notice to the owner."""

import time

import pytest
from django.db import transaction

from core.attempt_limits import count_within_all
from core.clock import utc_now
from core.errors import RateLimited
from merchants.models import Merchant
from merchants.owner_notices import NOTICES, count_notice_or_refuse, tell_owner
from messages.models import Message
from payouts.models import BankAccount
from tests.client import Api
from tests.races import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]
ACCOUNT = {
    "holder_name": "Conch Cafe",
    "bank_name": "Reef Bank",
    "number": "555 000 111",
    "clearing_code": "77005",
}


@pytest.fixture
def nineteen(merchant: Merchant) -> None:
    with transaction.atomic():
        for _ in range(NOTICES.times - 1):
            assert count_within_all([(NOTICES, merchant.id)], now=utc_now())


@pytest.mark.usefixtures("nineteen")
def test_the_count_itself_lets_one_of_many_at_once_be_the_twentieth(merchant: Merchant) -> None:
    """Whatever else they wait for, such as the merchant's lock."""

    def notice() -> None:
        with transaction.atomic():
            count_notice_or_refuse(merchant.id, now=utc_now())
            time.sleep(0.2)  # before the commit: all have counted by then who do not wait
            tell_owner(merchant, kind="api_key", subject="a key", text="New", now=utc_now())

    refused = [one for one in at_once([notice] * 4) if isinstance(one, RateLimited)]

    assert len(refused) == 3
    assert Message.objects.count() == 1


@pytest.mark.usefixtures("nineteen")
def test_one_of_two_at_once_is_the_twentieth(api: Api, merchant: Merchant) -> None:
    rename, name = (api(merchant, live=True) for _ in range(2))

    assert rename.get("/v1/balance").status_code == 200  # the first request of a process is alone

    statuses = at_once(
        [
            lambda: rename.patch(f"/v1/merchants/{merchant.id}", {"phone": "242 1"}).status_code,
            lambda: name.post("/v1/bank-accounts", ACCOUNT).status_code,
        ]
    )

    assert sorted(map(str, statuses)) in (["200", "429"], ["201", "429"])
    assert Message.objects.count() == 1
    done = BankAccount.objects.count() + Merchant.objects.filter(phone="242 1").count()
    assert done == 1
