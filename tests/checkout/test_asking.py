"""POST /checkout/<id>/ask: the merchant is told once, and the page shows the new payment."""

import json
from datetime import timedelta

import pytest
from django.test import Client

from core.clock import utc_now
from core.ids import new_id
from payments.models import Payment, Replacement
from payments.replacements import replacement_of
from payments.statuses import PaymentStatus
from tests.checkout.shopper import Shopper
from webhooks.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture
def failed(payment_of) -> Payment:
    return payment_of(
        1_250, status="failed", failed_at=utc_now(), error_code="PIN_LOCKED", metadata={"n": "7"}
    )


def ask(payment: Payment) -> Shopper:
    shopper = Shopper()
    shopper.visit(payment.hosted_url)
    shopper.send(to="/ask")
    return shopper


def version(payment: Payment) -> str:
    return Shopper().visit(f"{payment.hosted_url}/replacement").json()["version"]


def test_it_tells_the_merchant_and_waits(failed, merchant):
    shopper = ask(failed)

    assert f"We have asked {merchant.name} for a new payment." in shopper.text
    assert f'data-poll="{failed.hosted_url}/replacement" data-version="none"' in shopper.text
    assert "<form" not in shopper.text
    event = Event.objects.get()
    assert event.type == "payment.replacement_requested"
    data = json.loads(bytes(event.body))["data"]
    assert data["payment_id"] == failed.id
    assert (data["status"], data["metadata"]) == ("failed", {"n": "7"})
    assert version(failed) == "none"


def test_the_page_leads_to_the_payment_that_replaces_it(failed, merchant, api):
    shopper = ask(failed)
    created = api(merchant).post("/v1/payments", {"amount": 1_250, "replaces": failed.id})
    assert created.status_code == 201
    new = created.json()["id"]
    assert version(failed) == new

    shopper.visit(failed.hosted_url)
    assert f"{merchant.name} has made a new payment for you." in shopper.text
    assert f'href="/checkout/{new}" rel="noreferrer">Go to the new payment</a>' in shopper.text
    assert "data-poll" not in shopper.text


def test_a_payment_that_is_not_there_is_not_waited_for(failed):
    missing = new_id("pay", utc_now())

    assert Client().get(f"/checkout/{missing}/replacement").status_code == 404


def test_asking_twice_tells_once(failed):
    shopper = Shopper()
    shopper.visit(failed.hosted_url)
    form = shopper.form("/ask")
    for _ in range(2):
        assert shopper.client.post(form.action, form.fields).status_code == 303

    assert Event.objects.count() == 1


def test_an_expired_payment_that_the_sweep_has_not_reached_is_expired_first(payment_of):
    payment = payment_of(1_250, expires_at=utc_now() - timedelta(seconds=1))
    ask(payment)

    payment.refresh_from_db()
    assert payment.status == PaymentStatus.EXPIRED
    types = set(Event.objects.values_list("type", flat=True))
    assert types == {"payment.expired", "payment.replacement_requested"}


@pytest.mark.parametrize("status", ["created", "pending", "requires_action", "processing"])
def test_what_can_still_be_paid_is_not_asked_for_again(payment_of, status):
    payment = payment_of(1_250, status=status)
    answer = Client().post(f"{payment.hosted_url}/ask")

    assert answer["Location"] == payment.hosted_url
    assert (Event.objects.count(), Replacement.objects.count()) == (0, 0)


def test_a_merchant_may_replace_it_unasked_and_once(failed, merchant, api):
    body = {"amount": 1_250, "replaces": failed.id}
    assert api(merchant).post("/v1/payments", body).status_code == 201
    again = api(merchant).post("/v1/payments", body)

    assert (again.status_code, again.json()["code"]) == (422, "VALIDATION_FAILED")
    assert "was replaced by" in again.json()["details"]
    assert Payment.objects.count() == 2


def test_only_what_ended_unpaid_is_replaced(payment, merchant, api):
    answer = api(merchant).post("/v1/payments", {"amount": 1_250, "replaces": payment.id})

    assert answer.status_code == 422
    assert "failed, expired or was canceled" in answer.json()["details"]
    assert Payment.objects.count() == 1


def test_a_stranger_replaces_nothing(failed, stranger, api):
    answer = api(stranger).post("/v1/payments", {"amount": 1_250, "replaces": failed.id})

    assert (answer.status_code, answer.json()["code"]) == (404, "PAYMENT_NOT_FOUND")
    assert (Payment.objects.count(), Replacement.objects.count()) == (1, 0)


def test_each_payment_has_its_own_replacement(failed, payment_of):
    """The page of one must not lead to what replaces another."""
    other = payment_of(900, status="failed", failed_at=utc_now(), error_code="PIN_LOCKED")
    ask(other)
    assert replacement_of(failed.id) is None

    ask(failed)

    found = [replacement_of(one.id) for one in (failed, other)]
    assert [one and one.payment_id for one in found] == [failed.id, other.id]
