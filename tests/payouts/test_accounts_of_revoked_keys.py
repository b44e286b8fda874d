"""A revoked key stops none of its owner's payouts: it closes no account, and cancels none."""

import pytest

from core.clock import utc_now
from merchants.models import Merchant
from merchants.services import issue_key, revoke_key
from messages.models import Message
from payouts.models import BankAccount, Payout
from tests.client import Api, ApiClient
from tests.payouts.batching import live_payout
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


def test_a_revoked_key_cancels_no_payout() -> None:
    """It waited for a row, while its owner believed that money to be on its way to the bank."""
    payout = live_payout(Api())
    stolen = issue_key(merchant=payout.merchant, livemode=True, name="Spare", now=utc_now())

    def revoke() -> None:
        Payout.objects.locked(payout.pk)
        revoke_key(key_id=stolen.key.pk, now=utc_now())

    cancel = f"/v1/payouts/{payout.pk}/cancel"
    answer = held_up(revoke, lambda: ApiClient(stolen.secret).post(cancel))

    assert getattr(answer, "status_code", answer) == 401
    assert Payout.objects.get().status == "scheduled"
