"""A test payment ends as its server asks, and time passes by API."""

from datetime import timedelta

import pytest

from core.clock import utc_now
from links.models import PaymentLink
from payments.models import Payment
from payments.modes import PaymentMode
from payments.statuses import PaymentStatus
from payments.tasks import expire_payments
from tests.factories import MerchantFactory, PaymentFactory
from tests.links.conftest import new_link
from webhooks.models import Event

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("outcome", "status", "last_event"),
    [
        ("paid", "completed", "payment.completed"),
        ("paid_refunds_fail", "completed", "payment.completed"),
        ("paid_slowly", "processing", None),
        ("insufficient_balance", "failed", "payment.failed"),
        ("declined", "failed", "payment.failed"),
        ("canceled", "canceled", "payment.canceled"),
        ("expired", "expired", "payment.expired"),
    ],
)
def test_a_payment_ends_as_asked(api, merchant, payment, outcome, status, last_event):
    response = api(merchant).post(f"/v1/payments/{payment.id}/simulate", {"outcome": outcome})

    payment.refresh_from_db()
    assert response.status_code == 200
    assert (response.json()["status"], payment.status) == (status, status)
    assert response.json().get("error_code", "") == (payment.error_code or "")
    assert list(Event.objects.values_list("type", flat=True)) == (
        [last_event] if last_event else []
    )


def test_at_a_counter_a_new_payment_is_paid(api, merchant):
    counter = PaymentFactory(
        merchant=merchant, payment_mode=PaymentMode.STATIC_PAY, amount=None, expires_at=None
    )
    answer = api(merchant).post(
        f"/v1/payments/{counter.id}/simulate", {"outcome": "paid", "amount": 250}
    )

    assert answer.json()["id"] != counter.id
    assert Payment.objects.get(pk=answer.json()["id"]).status == PaymentStatus.COMPLETED


def test_what_has_ended_is_not_played_again(api, merchant, payment):
    place = f"/v1/payments/{payment.id}/simulate"
    api(merchant).post(place, {"outcome": "paid"})

    answer = api(merchant).post(place, {"outcome": "expired"})
    assert (answer.status_code, answer.json()["code"]) == (422, "PAYMENT_ALREADY_COMPLETED")
    assert api(merchant).post(place, {"outcome": "lost"}).json()["code"] == "VALIDATION_FAILED"


def test_a_payment_and_a_link_expire_now_once(api, merchant, payment):
    link = new_link(api, merchant)
    for place in (f"payments/{payment.id}", f"payment-links/{link.id}"):
        answers = [api(merchant).post(f"/v1/{place}/expire") for _ in range(2)]

        assert [answer.status_code for answer in answers] == [200, 422]
        assert answers[0].json()["status"] == "expired"


@pytest.mark.parametrize("place", ["payments/{}/simulate", "payments/{}/expire", "test/advance"])
def test_a_live_key_plays_nothing(api, merchant, place):
    live = PaymentFactory(merchant=merchant, livemode=True)
    body = {"outcome": "paid"} if "simulate" in place else {"days": 1}
    answer = api(merchant, live=True).post(f"/v1/{place.format(live.id)}", body)

    assert answer.json()["code"] == "DEVELOPMENT_ONLY"
    live.refresh_from_db()
    assert live.status == PaymentStatus.CREATED


def test_time_passes_and_what_is_due_happens(api, merchant, payment):
    answer = api(merchant).post("/v1/test/advance", {"days": 1})
    expire_payments()

    payment.refresh_from_db()
    assert (answer.status_code, answer.json()["payments"]) == (200, 1)
    assert payment.status == PaymentStatus.EXPIRED


def test_no_time_lies_before_another_that_came_later(api, merchant):
    client = api(merchant)
    link = new_link(api, merchant, expires_at=(utc_now() + DAY).isoformat())
    invoice = {"payment_mode": "INVOICE_PAY", "amount": 500, "customer_email": "a@example.com"}
    ids = [client.post("/v1/payments", body).json()["id"] for body in (invoice, {"amount": 1})]

    client.post("/v1/test/advance", {"days": 29})
    client.post("/v1/test/advance", {"hours": 48})
    expire_payments()

    for payment in Payment.objects.filter(pk__in=ids):
        assert payment.status == PaymentStatus.EXPIRED
        assert payment.expires_at is not None
        assert payment.created_at <= payment.expires_at <= payment.updated_at
        assert payment.due_date is None or payment.due_date <= payment.expires_at.date()
    stored = PaymentLink.objects.get(pk=link.pk)
    assert stored.expires_at is not None
    assert stored.created_at <= stored.expires_at


def test_time_of_another_merchant_stands_still(api, merchant, payment):
    api(MerchantFactory()).post("/v1/test/advance", {"days": 9})

    before = payment.expires_at
    payment.refresh_from_db()
    assert payment.expires_at == before
    assert api(merchant).post("/v1/test/advance", {}).status_code == 422
