"""Who has stolen a live key buries no notice to an owner whose address we know."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from pytest_django import Settings

from backoffice.models import Instruction
from backoffice.services.merchants import end_key, issue_live_key, roll_live_key
from core.clock import utc_now
from core.errors import RateLimited
from merchants.callers import Caller
from merchants.evidence import approve_change
from merchants.models import ApiKey, Merchant, MerchantChange
from merchants.owner_notices import count_notice, count_notice_or_refuse
from merchants.services import issue_key
from messages.models import Message
from payments import pay_requests
from payments.models import Payment
from payouts.models import BankAccount
from payouts.own_accounts import approve_bank_account
from tests.client import Api, ApiClient
from webhooks.models import Webhook

pytestmark = pytest.mark.django_db

KEYS, ACCOUNTS, WEBHOOKS = "/v1/api-keys", "/v1/bank-accounts", "/v1/webhooks"
LURE = "Your account is locked, call 242 555 0100"
ACCOUNT = {
    "holder_name": "Conch Cafe",
    "bank_name": LURE,
    "number": "555 000 111",
    "clearing_code": "77005",
}
SCOPED = {"name": "Mine", "scopes": ["*:read"]}
Act = Callable[[ApiClient, Merchant], Any]


@pytest.fixture
def thief(api: Api, merchant: Merchant) -> ApiClient:
    return api(merchant, live=True)


def spend(thief: ApiClient, merchant: Merchant, times: int = 20) -> None:
    for number in range(times):
        renamed = thief.patch(f"/v1/merchants/{merchant.id}", {"name": f"{LURE} {number}"})
        assert renamed.status_code == 200


def own_key(merchant: Merchant) -> ApiKey:
    return ApiKey.objects.filter(merchant=merchant, livemode=True).earliest("created_at")


def spare_key(merchant: Merchant) -> ApiKey:
    return issue_key(merchant=merchant, livemode=True, name="Spare", now=utc_now()).key


def roll(thief: ApiClient, key: ApiKey, seconds: int) -> Any:
    return thief.post(f"{KEYS}/{key.id}/roll", {"expires_in": seconds})


GAINS: dict[str, Act] = {
    "rename": lambda thief, shop: thief.patch(f"/v1/merchants/{shop.id}", {"name": "Last"}),
    "be rung": lambda thief, shop: thief.patch(f"/v1/merchants/{shop.id}", {"phone": "242 1"}),
    "make a key": lambda thief, shop: thief.post(KEYS, SCOPED),
    "roll for later": lambda thief, shop: roll(thief, own_key(shop), 86_400),
    "roll another key": lambda thief, shop: roll(thief, spare_key(shop), 0),
    "name an account": lambda thief, shop: thief.post(ACCOUNTS, ACCOUNT),
    "listen": lambda thief, shop: thief.post(
        WEBHOOKS, {"url": "https://thief.example/", "events": ["*"]}
    ),
}


@pytest.mark.parametrize("name", GAINS)
def test_what_the_owner_would_not_hear_of_is_not_done(
    thief: ApiClient, merchant: Merchant, name: str
) -> None:
    spend(thief, merchant)

    refused = GAINS[name](thief, merchant)

    assert (refused.status_code, refused.json()["code"]) == (429, "RATE_LIMITED")
    assert int(refused["Retry-After"]) <= 86_400
    assert Message.objects.count() == 20
    assert MerchantChange.objects.pending().get().after == {"name": f"{LURE} 19"}
    assert not BankAccount.objects.exists()
    assert not Webhook.objects.exists()
    assert not ApiKey.objects.exclude(name__in=("Spare", own_key(merchant).name)).exists()
    assert not ApiKey.objects.exclude(expires_at=None).exists()


def test_what_takes_away_is_always_done_and_told_once_of_each_beyond_the_twenty(
    thief: ApiClient, merchant: Merchant
) -> None:
    """An owner ends a stolen key by itself, and withdraws an account."""
    spare, account = spare_key(merchant), thief.post(ACCOUNTS, ACCOUNT).json()
    spend(thief, merchant, 19)

    assert thief.post(f"{ACCOUNTS}/{account['id']}/close").status_code == 200
    assert thief.post(f"{KEYS}/{spare.id}/revoke").status_code == 200
    assert roll(thief, own_key(merchant), 0).status_code == 201
    assert thief.get("/v1/payments").status_code == 401
    assert Message.objects.count() == 23


def rolled_at_once(client: ApiClient, merchant: Merchant) -> ApiClient:
    """Let a key replace itself, and return the client that has the new one."""
    rolled = roll(client, ApiKey.objects.active(utc_now()).get(livemode=True), 0)
    assert rolled.status_code == 201
    return ApiClient(rolled.json()["secret"])


def test_to_roll_again_and_again_sends_twenty_one_more_notices(
    merchant: Merchant, thief: ApiClient
) -> None:
    spend(thief, merchant)
    for _ in range(23):
        thief = rolled_at_once(thief, merchant)

    assert Message.objects.count() == 20 + 20 + 1


def test_an_owner_who_replaces_the_stolen_key_undoes_what_its_thief_has_done(
    api: Api, merchant: Merchant
) -> None:
    """The thief has deleted the webhook of the owner, who would have no events until tomorrow.

    That the owner has rolled the key before, as always on that day of the week, changes nothing.
    """
    thief = owner = rolled_at_once(api(merchant, live=True), merchant)
    listening = GAINS["listen"](owner, merchant).json()
    spend(thief, merchant, 18)
    assert thief.delete(f"{WEBHOOKS}/{listening['id']}").status_code == 200
    assert GAINS["listen"](owner, merchant).status_code == 429

    owner = rolled_at_once(owner, merchant)

    assert GAINS["listen"](owner, merchant).status_code == 201
    assert GAINS["name an account"](owner, merchant).status_code == 201
    assert thief.get("/v1/balance").status_code == 401


def test_a_new_count_begins_once_a_day(thief: ApiClient, merchant: Merchant) -> None:
    spend(thief, merchant)
    thief = rolled_at_once(thief, merchant)
    spend(thief, merchant, 19)

    thief = rolled_at_once(thief, merchant)

    assert GAINS["listen"](thief, merchant).status_code == 429


def test_a_replacement_that_has_room_leaves_the_new_count_of_the_day(
    thief: ApiClient, merchant: Merchant
) -> None:
    owner = rolled_at_once(thief, merchant)
    spend(owner, merchant, 19)
    assert GAINS["listen"](owner, merchant).status_code == 429

    owner = rolled_at_once(owner, merchant)

    assert GAINS["listen"](owner, merchant).status_code == 201


def test_no_other_roll_begins_a_new_count(thief: ApiClient, merchant: Merchant) -> None:
    spend(thief, merchant)

    for act in ("roll for later", "roll another key", "listen"):
        assert GAINS[act](thief, merchant).status_code == 429


def test_what_is_taken_away_counts_as_one_of_the_twenty(merchant: Merchant) -> None:
    now = utc_now()

    assert all(count_notice(merchant.id, of=f"key_{each}", now=now) for each in range(20))

    with pytest.raises(RateLimited):
        count_notice_or_refuse(merchant.id, now=now)


def test_beyond_the_twenty_the_first_is_the_first_of_a_day(merchant: Merchant) -> None:
    now = utc_now()
    for _ in range(20):
        count_notice_or_refuse(merchant.id, now=now)

    later = [now + timedelta(hours=hours) for hours in (0, 1, 23)]
    told = [count_notice(merchant.id, of="key_1", now=at) for at in later]

    assert told == [True, False, False]


def test_another_merchant_and_staff_are_not_counted(
    api: Api, thief: ApiClient, merchant: Merchant, stranger: Merchant
) -> None:
    thief.post(ACCOUNTS, ACCOUNT)
    spend(thief, merchant, 19)
    before = Message.objects.count()

    approve_bank_account(
        bank_account_id=BankAccount.objects.get().id, actor="staff:ann", now=utc_now()
    )
    approve_change(change_id=MerchantChange.objects.pending().get().id, now=utc_now())
    assert api(stranger, live=True).post(KEYS, SCOPED).status_code == 201

    assert Message.objects.count() == before + 3


BY_STAFF: dict[str, Callable[[Merchant, Caller], Any]] = {
    "issue": lambda shop, staff: issue_live_key(
        Instruction(subject_id=shop.id, arguments={"name": "New"}), staff, utc_now()
    ),
    "roll": lambda shop, staff: roll_live_key(
        Instruction(subject_id=spare_key(shop).id, arguments={"overlap_hours": 0}), staff, utc_now()
    ),
    "revoke": lambda shop, staff: end_key(key_id=spare_key(shop).id, now=utc_now()),
}


@pytest.mark.parametrize("act", BY_STAFF)
def test_an_owner_whom_staff_help_undoes_what_a_thief_has_done(
    api: Api, thief: ApiClient, merchant: Merchant, act: str
) -> None:
    spend(thief, merchant)
    refused = GAINS["listen"](thief, merchant)
    assert "or once staff have" in refused.json()["details"]

    BY_STAFF[act](merchant, Caller(merchant=merchant, livemode=True, actor="staff:ann"))

    assert GAINS["listen"](api(merchant, live=True), merchant).status_code == 201


INVOICE = {"payment_mode": "INVOICE_PAY", "amount": 100, "invoice_number": "I-8"}


def send_as_many_as_one_may(client: ApiClient) -> tuple[int, int]:
    """Mail an invoice and request a payment, to someone else each time; return both statuses."""
    to = f"{Payment.objects.count()}@example.com"
    invoiced = client.post("/v1/payments", INVOICE | {"customer_email": to}).status_code
    payment = client.post("/v1/payments", {"amount": 100}).json()["id"]
    asked = client.post(f"/v1/payments/{payment}/send", {"email": to}).status_code
    return invoiced, asked


@pytest.mark.parametrize("act", BY_STAFF)
def test_an_owner_whom_staff_help_sends_again_what_a_thief_has_used_up(
    api: Api, merchant: Merchant, act: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.INVOICES_PER_MERCHANT = 1
    monkeypatch.setattr(pay_requests, "PER_MERCHANT", replace(pay_requests.PER_MERCHANT, times=1))
    client = api(merchant, live=True)
    assert send_as_many_as_one_may(client) == (201, 200)
    assert send_as_many_as_one_may(client) == (429, 429)

    BY_STAFF[act](merchant, Caller(merchant=merchant, livemode=True, actor="staff:ann"))

    assert send_as_many_as_one_may(api(merchant, live=True)) == (201, 200)


def test_no_notice_has_words_of_the_thief(thief: ApiClient, merchant: Merchant) -> None:
    changes = {"name": LURE, "website": "https://thief.example", "email": "thief@example.com"}
    thief.patch(f"/v1/merchants/{merchant.id}", changes)
    thief.post(ACCOUNTS, ACCOUNT)

    asked, account = Message.objects.order_by("created_at")
    for name in changes:
        was = f'"{value}"' if (value := getattr(merchant, name)) else "none"
        assert f"{name} (now: {was})" in asked.text
    assert "The account …0111 (BSD) will receive your payouts" in account.text
    for text in (asked.text, account.text):
        assert "555" not in text
        assert "thief" not in text
