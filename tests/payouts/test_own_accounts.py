"""A merchant names its bank account by API; staff approve that of a verified merchant."""

import pytest
from django.db import IntegrityError, transaction

from core.clock import utc_now
from merchants.models import ApiKey, Merchant
from merchants.owner_notices import NOTICES
from merchants.statuses import MerchantStatus
from messages.models import Message
from payouts.bank_accounts import BankDetails, close_bank_account, open_bank_account
from payouts.errors import BankAccountNotFound
from payouts.models import AccountState, BankAccount
from payouts.own_accounts import approve_bank_account, decline_bank_account
from tests.factories import MerchantFactory
from tests.merchants.waiting_requests import meanwhile

PLACE = "/v1/bank-accounts"
BODY = {
    "holder_name": "Conch Cafe",
    "bank_name": "Bank of the Islands",
    "number": "555 000 111",
    "clearing_code": "77005",
}


def states(merchant):
    rows = BankAccount.objects.filter(merchant=merchant).order_by("id")
    return [(row.last_four, row.state) for row in rows]


def test_an_account_of_a_verified_merchant_waits_for_staff(api, merchant, bank_account):
    response = api(merchant, live=True).post(PLACE, BODY)

    made = response.json()
    assert response.status_code == 201
    assert (made["status"], made["last_four"], made["currency"]) == ("pending", "0111", "BSD")
    assert "555000111" not in response.content.decode()
    assert states(merchant) == [("9012", AccountState.OPEN), ("0111", AccountState.PENDING)]
    assert list(BankAccount.objects.open()) == [bank_account]
    message = Message.objects.get(kind="bank_account")
    assert message.recipient == merchant.email
    assert "555000111" not in message.text


@pytest.mark.parametrize("is_another", [True, False])
def test_the_owner_reads_whether_it_only_ends_like_the_account_before(api, merchant, is_another):
    """A mule's that ends in the same digits read as one's own."""
    thief = api(merchant, live=True)
    for number in ("555 000 111", "999 990 111" if is_another else "555000111"):
        made = thief.post(PLACE, BODY | {"number": number}).json()
        approve_bank_account(bank_account_id=made["id"], actor="staff:ann", now=utc_now())

    said = ["ends in the same digits" in text for _, text, *_ in told()]
    assert said == [False, False, is_another, is_another]


def test_of_two_that_were_closed_at_once_the_one_before_is_the_later_id(merchant, monkeypatch):
    now, ids = (
        utc_now(),
        iter(["ba_0000000000000000000000000000a1", "ba_0000000000000000000000000000a2"]),
    )
    monkeypatch.setattr("payouts.bank_accounts.new_id", lambda *_: next(ids))
    for number in ("555000111", "555000222"):
        details = BankDetails("BSD", "Conch Cafe", "Reef Bank", number, clearing_code="77005")
        made = open_bank_account(
            merchant_id=merchant.id, livemode=True, details=details, actor="staff:ann", now=now
        )
    close_bank_account(bank_account_id=made.id, actor="staff:ann", now=now)

    before = BankAccount.objects.before(
        BankAccount(merchant=merchant, livemode=True, currency="BSD")
    )
    assert before is not None
    assert before.last_four == "0222"


def test_another_request_takes_the_place_of_the_one_that_waits(api, merchant):
    api(merchant, live=True).post(PLACE, BODY)
    api(merchant, live=True).post(PLACE, BODY | {"number": "555 000 222"})

    assert states(merchant) == [("0111", AccountState.DECLINED), ("0222", AccountState.PENDING)]


def test_the_database_lets_one_wait(api, merchant):
    api(merchant, live=True).post(PLACE, BODY)
    second = BankAccount.objects.get()
    second.pk = "ba_0000000000000000000000000000a1"

    with pytest.raises(IntegrityError), transaction.atomic():
        second.save(force_insert=True)


def test_an_unverified_merchants_account_is_open_at_once_and_its_owner_told(api, settings):
    settings.REQUIRE_VERIFIED_MERCHANTS = False
    merchant = MerchantFactory(status=MerchantStatus.UNVERIFIED)
    thief = api(merchant, live=True)
    made = thief.post(PLACE, BODY).json()

    assert made["status"] == "open"
    assert Message.objects.get().recipient == merchant.email
    for _ in range(NOTICES.times - 1):
        assert thief.post(PLACE, BODY).status_code == 201
    assert thief.post(PLACE, BODY).status_code == 429
    assert Message.objects.count() == NOTICES.times


def test_a_test_key_opens_a_test_account_and_no_one_is_told(api, merchant, bank_account):
    made = api(merchant).post(PLACE, BODY).json()

    assert (made["status"], made["livemode"]) == ("open", False)
    assert list(BankAccount.objects.open().filter(livemode=True)) == [bank_account]
    assert not Message.objects.exists()


def test_a_merchant_closes_its_account_and_is_told(api, merchant, bank_account):
    response = api(merchant, live=True).post(f"{PLACE}/{bank_account.id}/close")

    assert (response.status_code, response.json()["status"]) == (200, "closed")
    assert Message.objects.get().kind == "bank_account"
    assert api(merchant, live=True).post(f"{PLACE}/{bank_account.id}/close").status_code == 404


def test_a_merchant_withdraws_what_waits(api, merchant, bank_account):
    made = api(merchant, live=True).post(PLACE, BODY).json()
    response = api(merchant, live=True).post(f"{PLACE}/{made['id']}/close")

    assert response.json()["status"] == "declined"
    assert list(BankAccount.objects.open()) == [bank_account]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"number": "?"}, "number"),
        ({"clearing_code": None}, "clearing_code"),
        ({"bic": "BANK"}, "bic"),
        ({"currency": "bsd"}, "currency"),
        ({"holder_name": " "}, "holder_name"),
        ({"holder_name": "\u3164"}, "holder_name"),
        ({"holder_name": "Conch\u200b Cafe"}, "holder_name"),
        ({"bank_name": "…"}, "bank_name"),
        ({"bank_name": "b" * 141}, "bank_name"),
    ],
)
def test_it_refuses(api, merchant, change, field):
    response = api(merchant, live=True).post(PLACE, BODY | change)

    assert response.status_code == 422
    assert response.json()["details"].startswith(f"{field}: ")
    assert not BankAccount.objects.exists()


def test_a_repeat_under_one_key_asks_once(api, merchant):
    first, again = (
        api(merchant, live=True).post(PLACE, BODY, idempotency_key="a") for _ in range(2)
    )

    assert first.content == again.content
    assert BankAccount.objects.count() == 1


def test_a_stranger_closes_nothing(api, merchant, bank_account):
    for client in (api(MerchantFactory(), live=True), api(merchant)):
        assert client.post(f"{PLACE}/{bank_account.id}/close").status_code == 404
    assert list(BankAccount.objects.open()) == [bank_account]


@pytest.mark.parametrize(
    ("status", "code"),
    [("suspended", "MERCHANT_INACTIVE"), ("unverified", "MERCHANT_NOT_VERIFIED")],
)
def test_a_stolen_key_names_no_account_while_its_merchant_is_being_stopped(
    api, merchant, bank_account, monkeypatch, settings, status, code
):
    """A suspended merchant is no verified one: the thief's account was open without staff."""
    settings.REQUIRE_VERIFIED_MERCHANTS = True
    thief = api(merchant, live=True)
    meanwhile(monkeypatch, lambda: Merchant.objects.update(status=status))

    refused = thief.post(PLACE, BODY)

    assert (refused.status_code, refused.json()["code"]) == (422, code)
    assert states(merchant) == [("9012", AccountState.OPEN)]
    assert list(BankAccount.objects.open()) == [bank_account]


def test_a_stolen_key_names_no_account_while_it_is_being_revoked(api, merchant, monkeypatch):
    thief = api(merchant, live=True)
    meanwhile(monkeypatch, lambda: ApiKey.objects.update(revoked_at=utc_now()))

    refused = thief.post(PLACE, BODY)

    assert (refused.status_code, refused.json()["code"]) == (401, "UNAUTHORIZED")
    assert states(merchant) == []


def told():
    return [(message.subject, message.text, message.repeatable, message.livemode)
            for message in Message.objects.order_by("created_at")]  # fmt: skip


@pytest.mark.parametrize("is_approved", [True, False])
def test_staff_decide_on_what_waits(api, merchant, stranger, bank_account, is_approved):
    for seller in (merchant, stranger):
        assert api(seller, live=True).post(PLACE, BODY).status_code == 201
    asked = BankAccount.objects.get(merchant=merchant, is_pending=True)
    Message.objects.all().delete()
    decide = approve_bank_account if is_approved else decline_bank_account

    decide(bank_account_id=asked.id, actor="staff:ann", now=utc_now())

    waits = [("0111", AccountState.PENDING)]
    assert states(stranger) == waits
    if is_approved:
        assert states(merchant) == [("9012", AccountState.CLOSED), ("0111", AccountState.OPEN)]
    else:
        assert states(merchant) == [("9012", AccountState.OPEN), ("0111", AccountState.DECLINED)]
    ended = BankAccount.objects.exclude(closed_at=None).get()
    assert ended.closed_by == "staff:ann"
    assert told() == is_approved * [
        (
            "Payments: your bank account",
            "The account …0111 (BSD) now receives your payouts.\n"
            "If you did not request this, reply to this e-mail at once.",
            True,
            True,
        )
    ]
    with pytest.raises(BankAccountNotFound):
        decide(bank_account_id=asked.id, actor="staff:bob", now=utc_now())
