"""A revoked key does not close the bank account that its owner is paid out to."""

import pytest

from core.clock import utc_now
from merchants.models import Merchant
from merchants.services import issue_key, revoke_key
from messages.models import Message
from payouts.models import BankAccount
from tests.client import ApiClient
from tests.races import held_up

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]
DETAILS = {
    "currency": "BSD",
    "holder_name": "Corner Shop",
    "bank_name": "First Bank",
    "number": "000123456789",
    "clearing_code": "000000",
}


def test_a_revoked_key_closes_no_bank_account(merchant: Merchant) -> None:
    """It waited for the very lock under which it was revoked, and stopped the owner's payouts."""
    issued = issue_key(merchant=merchant, livemode=True, name="Spare", now=utc_now())
    stolen = ApiClient(issued.secret)
    made = stolen.post("/v1/bank-accounts", DETAILS)
    assert made.status_code == 201, made.json()
    told = Message.objects.count()

    answer = held_up(
        lambda: revoke_key(key_id=issued.key.pk, now=utc_now()),
        lambda: stolen.post(f"/v1/bank-accounts/{made.json()['id']}/close"),
    )

    assert getattr(answer, "status_code", answer) == 401
    assert BankAccount.objects.get().closed_at is None
    assert Message.objects.count() == told
