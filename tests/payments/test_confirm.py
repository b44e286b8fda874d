"""POST /v1/payments/:id/confirm"""

import json
from datetime import timedelta

import pytest

from core.clock import utc_now
from core.money import MAX_AMOUNT
from customers.magic_phones import MAGIC_PHONES
from customers.models import Customer
from customers.services import test_customer
from ledger.models import Purpose, Transfer
from ledger.services import balances
from links.services import LinkDraft, create_link
from merchants.callers import Caller
from merchants.models import Merchant
from payments.expiry import settle_due
from payments.models import Payment, PaymentTransition
from tests.client import Api
from tests.factories import PaymentFactory
from webhooks.models import Event

pytestmark = pytest.mark.django_db


def test_it_completes_a_test_payment(api: Api, merchant: Merchant, payment: Payment) -> None:
    response = api(merchant).post(
        f"/v1/payments/{payment.id}/confirm", {"customer_phone": "+1 242 555 0100"}
    )

    assert response.status_code == 200
    body = response.json()
    assert set(body) == {"id", "status", "customer_id", "transaction_id", "completed_at"}
    assert body["id"] == payment.id
    assert body["status"] == "completed"
    payment.refresh_from_db()
    assert payment.transaction_id == body["transaction_id"]
    moves = PaymentTransition.objects.filter(payment=payment).order_by("id")
    assert [(move.from_status, move.to_status) for move in moves] == [
        ("created", "processing"),
        ("processing", "completed"),
    ]
    owned = balances(owner=merchant.id, purpose=Purpose.MERCHANT, livemode=False)
    assert owned == {"BSD": 1_250}
    assert list(Event.objects.values_list("type", flat=True)) == ["payment.completed"]


@pytest.mark.parametrize("amounts", [(9_000_000, 2_000_000), (MAX_AMOUNT, 1)])
def test_the_phone_that_works_has_the_money(
    api: Api, merchant: Merchant, amounts: tuple[int, int]
) -> None:
    for amount in amounts:
        payment = PaymentFactory(merchant=merchant, amount=amount)
        response = api(merchant).post(f"/v1/payments/{payment.id}/confirm")
        assert (response.status_code, response.json()["status"]) == (200, "completed")


def test_it_keeps_the_fee_apart(api: Api, merchant: Merchant) -> None:
    merchant.fee_basis_points = 250
    merchant.save()
    payment = PaymentFactory(merchant=merchant, amount=1_001)

    response = api(merchant).post(f"/v1/payments/{payment.id}/confirm")

    assert response.status_code == 200
    record = api(merchant).get(f"/v1/payments/{payment.id}").json()
    assert (record["fee"], record["net"]) == (25, 976)
    owned = balances(owner=merchant.id, purpose=Purpose.MERCHANT, livemode=False)
    assert owned == {"BSD": 976}


def test_it_completes_in_any_currency(api: Api, merchant: Merchant) -> None:
    payment = PaymentFactory(merchant=merchant, amount=1_001, currency="USD")

    response = api(merchant).post(f"/v1/payments/{payment.id}/confirm")

    assert response.status_code == 200
    owned = balances(owner=merchant.id, purpose=Purpose.MERCHANT, livemode=False)
    assert owned == {"USD": 1_001}


@pytest.mark.parametrize(
    ("phone", "code", "error", "details"),
    [
        (
            "+12425550101",
            "INSUFFICIENT_BALANCE",
            "There is not enough money in the account.",
            "The payment has failed.",
        ),
        ("+12425550103", "PAYMENT_FAILED", "The payment has failed.", "The payment was declined."),
    ],
)
def test_it_fails_as_the_magic_phone_says(
    api: Api,
    merchant: Merchant,
    payment: Payment,
    phone: str,
    code: str,
    error: str,
    details: str,
) -> None:
    response = api(merchant).post(
        f"/v1/payments/{payment.id}/confirm", {"customer_phone": phone}, idempotency_key="once"
    )

    assert response.status_code == 422
    assert response.json() == {"error": error, "code": code, "details": details}
    payment.refresh_from_db()
    assert payment.status == "failed"
    assert payment.error_code == code
    assert payment.error_message in (error, details)
    event = json.loads(bytes(Event.objects.get(type="payment.failed").body))
    assert event["data"]["error_code"] == code
    assert not Transfer.objects.filter(reference=payment.id).exists()
    again = api(merchant).post(
        f"/v1/payments/{payment.id}/confirm", {"customer_phone": phone}, idempotency_key="once"
    )
    assert (again.status_code, again.content) == (422, response.content)
    assert again["Idempotent-Replayed"] == "true"


@pytest.mark.parametrize(
    ("phone", "code"),
    [
        ("+12425550102", "INVALID_PIN"),
        ("+12425550106", "PIN_LOCKED"),
        ("+12425550108", "INSUFFICIENT_BALANCE"),
    ],
)
def test_it_refuses_as_the_magic_phone_says(
    api: Api, merchant: Merchant, payment: Payment, phone: str, code: str
) -> None:
    response = api(merchant).post(f"/v1/payments/{payment.id}/confirm", {"customer_phone": phone})

    assert (response.status_code, response.json()["code"]) == (422, code)
    payment.refresh_from_db()
    assert payment.status == "created"
    assert Event.objects.count() == 0


def test_a_frozen_customer_pays_nothing(api: Api, merchant: Merchant, payment: Payment) -> None:
    test_customer(None, utc_now(), "BSD", merchant_id=merchant.id)
    Customer.objects.update(frozen_at=utc_now())

    response = api(merchant).post(f"/v1/payments/{payment.id}/confirm")

    assert (response.status_code, response.json()["code"]) == (422, "VERIFICATION_FAILED")
    payment.refresh_from_db()
    assert (payment.status, Event.objects.count()) == ("created", 0)


@pytest.mark.parametrize("phone", MAGIC_PHONES)
def test_what_is_paid_says_so_to_every_phone(
    api: Api, merchant: Merchant, payment: Payment, phone: str
) -> None:
    path = f"/v1/payments/{payment.id}/confirm"
    assert api(merchant).post(path).status_code == 200

    response = api(merchant).post(path, {"customer_phone": phone})

    assert (response.status_code, response.json()["code"]) == (422, "PAYMENT_ALREADY_COMPLETED")


@pytest.mark.parametrize("phone", ["12", "not a phone", "+999 123 456", "+1 242 555 0100 x5"])
def test_it_refuses_what_is_no_phone(
    api: Api, merchant: Merchant, payment: Payment, phone: str
) -> None:
    response = api(merchant).post(f"/v1/payments/{payment.id}/confirm", {"customer_phone": phone})

    assert response.status_code == 422
    assert response.json()["code"] == "VALIDATION_FAILED"
    assert response.json()["details"] == (
        "customer_phone: must be a mobile phone number, with its country code"
    )
    payment.refresh_from_db()
    assert payment.status == "created"


def test_a_slow_payment_settles_later(api: Api, merchant: Merchant, payment: Payment) -> None:
    phone = {"customer_phone": "+12425550104"}
    response = api(merchant).post(f"/v1/payments/{payment.id}/confirm", phone)
    assert (response.status_code, response.json()["status"]) == (200, "processing")
    assert settle_due(now=utc_now()) == 0

    assert settle_due(now=utc_now() + timedelta(seconds=31)) == 1

    payment.refresh_from_db()
    assert payment.status == "completed"
    assert settle_due(now=utc_now() + timedelta(seconds=60)) == 0
    assert Event.objects.filter(type="payment.completed").count() == 1


def test_each_customer_of_a_counter_gets_a_payment(api: Api, merchant: Merchant) -> None:
    counter = api(merchant).post("/v1/payments", {"payment_mode": "STATIC_PAY"}).json()
    path = f"/v1/payments/{counter['id']}/confirm"

    paid = [api(merchant).post(path, {"amount": amount}).json() for amount in (150, 275)]

    assert len({counter["id"], *(payment["id"] for payment in paid)}) == 3
    assert api(merchant).get(f"/v1/payments/{counter['id']}").json()["status"] == "created"
    records = [api(merchant).get(f"/v1/payments/{payment['id']}").json() for payment in paid]
    assert [record["amount"] for record in records] == [150, 275]
    assert {record["static_payment_id"] for record in records} == {counter["id"]}
    missing = api(merchant).post(path)
    assert (missing.status_code, missing.json()["code"]) == (422, "INVALID_AMOUNT")
    assert api(merchant).post(f"/v1/payments/{counter['id']}/cancel").status_code == 200
    closed = api(merchant).post(path, {"amount": 1})
    assert (closed.status_code, closed.json()["code"]) == (422, "PAYMENT_CANCELED")


def test_a_counter_with_an_amount_keeps_to_it(api: Api, merchant: Merchant) -> None:
    body = {"payment_mode": "STATIC_PAY", "amount": 500}
    counter = api(merchant).post("/v1/payments", body).json()
    path = f"/v1/payments/{counter['id']}/confirm"

    other = api(merchant).post(path, {"amount": 499})
    assert (other.status_code, other.json()["code"]) == (422, "INVALID_AMOUNT")
    assert api(merchant).post(path).status_code == 200


def test_a_live_key_cannot_confirm(api: Api, merchant: Merchant) -> None:
    payment = PaymentFactory(merchant=merchant, livemode=True)

    response = api(merchant, live=True).post(f"/v1/payments/{payment.id}/confirm")

    assert (response.status_code, response.json()["code"]) == (422, "DEVELOPMENT_ONLY")
    payment.refresh_from_db()
    assert payment.status == "created"


@pytest.mark.usefixtures("development")
def test_development_confirms_without_a_header(api: Api, payment: Payment) -> None:
    response = api(None).post(f"/v1/payments/{payment.id}/confirm")
    assert (response.status_code, response.json()["status"]) == (200, "completed")


def test_without_development_mode_it_needs_a_key(api: Api, payment: Payment) -> None:
    response = api(None).post(f"/v1/payments/{payment.id}/confirm")
    assert (response.status_code, response.json()["code"]) == (401, "UNAUTHORIZED")


@pytest.mark.parametrize("by_link", [True, False])
def test_a_payment_has_one_amount(api: Api, merchant: Merchant, by_link: bool) -> None:
    caller = Caller(merchant, livemode=False, actor="key:test")
    draft = LinkDraft(currency="BSD", amount=1_250)
    link = create_link(caller=caller, draft=draft, now=utc_now()) if by_link else None
    payment = PaymentFactory(merchant=merchant, link=link)

    response = api(merchant).post(f"/v1/payments/{payment.id}/confirm", {"amount": 1_251})

    assert (response.status_code, response.json()["code"]) == (422, "INVALID_AMOUNT")
    payment.refresh_from_db()
    assert payment.status == "created"
