"""POST /v1/payouts"""

import re
from datetime import date
from typing import Any

import pytest
import time_machine
from django.db.models import QuerySet, Value

from ledger.models import Purpose, Transfer
from merchants.models import Merchant
from payouts.models import BankAccount, BankHoliday, Payout, Statement
from tests.events import event_data, event_types
from tests.payouts.merchant_balance import credit, held

PATH = "/v1/payouts"
WEDNESDAY = "2026-11-18T15:00:00Z"


@pytest.fixture(autouse=True)
def _wednesday():
    with time_machine.travel(WEDNESDAY, tick=False):
        yield


def test_it_pays_out_all_there_is(api, merchant):
    credit(merchant, 1000)
    credit(merchant, 250)

    response = api(merchant).post(PATH, {})

    body = response.json()
    assert response.status_code == 201
    assert response["Location"] == f"/v1/payouts/{body['id']}"
    assert re.fullmatch(r"po_[0-9A-Za-z]{30}", body["id"])
    assert body == {
        "id": body["id"],
        "merchant_id": merchant.id,
        "amount": 1250,
        "currency": "BSD",
        "status": "scheduled",
        "origin": "api",
        "bank_account": {
            "id": BankAccount.objects.get().id,
            "bank_name": "Test Bank",
            "last_four": "6789",
        },
        "arrival_date": "2026-11-19",
        "livemode": False,
        "statement": {
            "number": 1,
            "opening_amount": 0,
            "movements_amount": 1250,
            "movements_count": 2,
            "payout_amount": 1250,
            "closing_amount": 0,
        },
        "created_at": "2026-11-18T15:00:00.000Z",
        "updated_at": "2026-11-18T15:00:00.000Z",
    }


def test_it_sets_the_money_aside(api, merchant):
    credit(merchant, 1250)

    payout_id = api(merchant).post(PATH, {}).json()["id"]

    transfer = Transfer.objects.get(reference=payout_id)
    assert (transfer.kind, transfer.amount) == ("payout", 1250)
    assert held(merchant, Purpose.MERCHANT) == 0
    assert held(merchant, Purpose.PAYOUTS) == 1250


def test_it_announces_the_payout(api, merchant):
    credit(merchant, 1250)

    body = api(merchant).post(PATH, {}).json()

    assert event_types() == ["payout.created"]
    assert event_data("payout.created") == {
        "payout_id": body["id"],
        "merchant_id": merchant.id,
        "amount": 1250,
        "currency": "BSD",
        "status": "scheduled",
        "arrival_date": "2026-11-19",
        "created_at": body["created_at"],
    }


def test_it_pays_out_a_part_and_carries_the_rest(api, merchant):
    credit(merchant, 1250)

    first = api(merchant).post(PATH, {"amount": 1000, "description": "Rent"}).json()
    second = api(merchant).post(PATH, {}).json()

    assert (first["amount"], first["description"]) == (1000, "Rent")
    assert first["statement"]["closing_amount"] == 250
    assert second["amount"] == 250
    assert second["statement"] == {
        "number": 2,
        "opening_amount": 250,
        "movements_amount": 0,
        "movements_count": 0,
        "payout_amount": 250,
        "closing_amount": 0,
    }


def test_it_pays_out_what_a_customer_paid_less_the_fee(api, merchant, development):
    merchant.fee_basis_points = 250
    merchant.save()
    client = api(merchant)
    payment = client.post("/v1/payments", {"amount": 1250}).json()
    assert client.post(f"/v1/payments/{payment['id']}/confirm").status_code == 200

    body = client.post(PATH, {}).json()

    assert body["amount"] == 1219
    assert body["statement"]["movements_count"] == 2


def test_it_pays_out_one_currency_at_a_time(api, merchant):
    credit(merchant, 1250)
    credit(merchant, 700, currency="USD")

    body = api(merchant).post(PATH, {"currency": "USD"}).json()

    assert (body["amount"], body["currency"]) == (700, "USD")
    assert held(merchant, Purpose.MERCHANT) == 1250


def test_it_never_pays_out_more_than_a_transfer_can_hold(api, merchant):
    credit(merchant, 99_999_999_999)
    credit(merchant, 1)

    assert api(merchant).post(PATH, {}).json()["amount"] == 99_999_999_999


def test_weekends_and_holidays_are_passed_over(api, merchant):
    for day in (25, 28):
        BankHoliday.objects.get_or_create(date=date(2026, 12, day), defaults={"name": "Christmas"})
    with time_machine.travel("2026-12-24T23:00:00Z", tick=False):
        credit(merchant, 1250)
        body = api(merchant).post(PATH, {}).json()

    assert body["arrival_date"] == "2026-12-29"


@pytest.mark.parametrize(
    ("balance", "body", "code"),
    [
        (1250, {"amount": 1251}, "INSUFFICIENT_BALANCE"),
        (99, {}, "INSUFFICIENT_BALANCE"),
        (0, {}, "INSUFFICIENT_BALANCE"),
        (1250, {"amount": 99}, "INVALID_AMOUNT"),
        (1250, {"amount": 0}, "INVALID_AMOUNT"),
        (1250, {"amount": "100"}, "INVALID_AMOUNT"),
        (1250, {"amount": None}, "INVALID_AMOUNT"),
        (1250, {"total": 500}, "VALIDATION_FAILED"),
        (1250, {"amount": 2**63}, "INVALID_AMOUNT"),
        (1250, {"currency": "XXXX"}, "VALIDATION_FAILED"),
        (1250, {"currency": "USD"}, "INSUFFICIENT_BALANCE"),
        (1250, {"description": "x" * 141}, "VALIDATION_FAILED"),
        (1250, {"description": "two\nlines"}, "VALIDATION_FAILED"),
        (1250, {"description": "RF32 C3W4 7TTR"}, "VALIDATION_FAILED"),
        (1250, {"description": "week 47: rf32_c3w4/7ttr."}, "VALIDATION_FAILED"),
        (
            1250,
            {"description": "\uff32\uff26\uff13\uff12\u2014\u0107\uff13w47ttr"},
            "VALIDATION_FAILED",
        ),
    ],
)
def test_it_refuses_and_moves_nothing(api, merchant, balance, body, code):
    if balance:
        credit(merchant, balance)

    response = api(merchant).post(PATH, body)

    assert response.status_code == 422
    assert response.json()["code"] == code
    assert not Payout.objects.exists()
    assert not Statement.objects.exists()
    assert held(merchant, Purpose.MERCHANT) == balance
    assert event_types() == []


def test_the_least_amount_is_a_setting(api, merchant, settings):
    settings.PAYOUT_MINIMUM = 1250
    credit(merchant, 1249)
    assert api(merchant).post(PATH, {}).status_code == 422

    credit(merchant, 1)

    assert api(merchant).post(PATH, {}).status_code == 201


def test_it_leaves_what_is_kept_back(api, merchant, settings):
    settings.PAYOUT_RESERVES = ["tests.payouts.test_request.keep_three_hundred"]
    credit(merchant, 1250)

    assert api(merchant).post(PATH, {"amount": 951}).json()["code"] == "INSUFFICIENT_BALANCE"
    assert api(merchant).post(PATH, {}).json()["amount"] == 950


def keep_three_hundred(merchant_id: str, livemode: bool) -> QuerySet[Merchant, Any]:
    owner = Merchant.objects.filter(pk=merchant_id)
    kept = owner.annotate(currency=Value("BSD"), total=Value(0 if livemode else 300))
    return kept.values_list("currency", "total")


def test_a_live_payout_needs_a_bank_account(api, merchant):
    credit(merchant, 1250, livemode=True)

    response = api(merchant, live=True).post(PATH, {})

    assert response.status_code == 422
    assert response.json()["code"] == "VALIDATION_FAILED"
    assert "bank_account" in response.json()["details"]


def test_a_live_payout_goes_to_the_account_on_file(api, merchant, bank_account):
    credit(merchant, 1250, livemode=True)

    body = api(merchant, live=True).post(PATH, {}).json()

    assert body["livemode"] is True
    assert body["bank_account"] == {
        "id": bank_account.id,
        "bank_name": "Bank of the Islands",
        "last_four": "9012",
    }


def test_live_and_test_money_never_mix(api, merchant, bank_account):
    credit(merchant, 1250)

    response = api(merchant, live=True).post(PATH, {})

    assert response.json()["code"] == "INSUFFICIENT_BALANCE"


def test_it_pays_out_once_per_idempotency_key(api, merchant):
    credit(merchant, 1250)

    first = api(merchant).post(PATH, {"amount": 500}, idempotency_key="friday")
    again = api(merchant).post(PATH, {"amount": 500}, idempotency_key="friday")

    assert again.content == first.content
    assert Payout.objects.count() == 1


def test_a_stranger_pays_out_nothing_of_another(api, merchant, stranger):
    credit(merchant, 1250)

    response = api(stranger).post(PATH, {})

    assert response.json()["code"] == "INSUFFICIENT_BALANCE"
    assert held(merchant, Purpose.MERCHANT) == 1250


def test_it_needs_a_key_and_in_development_a_merchant(api, merchant, settings):
    assert api(None).post(PATH, {"merchant_id": merchant.id}).status_code == 401

    settings.DEVELOPMENT_MODE = True
    credit(merchant, 1250)
    assert api(None).post(PATH, {}).status_code == 422
    assert api(None).post(PATH, {"merchant_id": merchant.id}).status_code == 201


@pytest.mark.parametrize("field", ["bank_account_id", "destination", "total"])
def test_it_refuses_what_might_say_where_to_pay(api, merchant, field):
    """Ignored, it would let the money go to another account than the caller named."""
    credit(merchant, 1250)

    response = api(merchant).post(PATH, {"amount": 500, field: "ba_1"})

    assert (response.status_code, response.json()["code"]) == (422, "VALIDATION_FAILED")
    assert response.json()["details"] == f"{field}: is unknown"
    assert not Payout.objects.exists()


def test_a_merchant_named_by_its_slug_in_development_is_paid_out_everything(
    api, merchant, development
):
    """The slug says whose payout it is: it is no misnamed amount."""
    credit(merchant, 1250)

    response = api(None).post(PATH, {"merchant_slug": merchant.slug})

    assert (response.status_code, response.json()["amount"]) == (201, 1250)
