"""What a stolen live key asks for, and what waits while it is revoked, is not done in its name."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from core.attempt_limits import count_or_refuse
from core.clock import utc_now
from merchants.models import ApiKey, Merchant
from merchants.services import IssuedKey, issue_key
from messages.models import Message
from payments.emails import _per_merchant
from payments.models import Payment, Replacement
from payments.pay_requests import PER_MERCHANT
from payments.till_models import Till
from tests.client import ApiClient
from tests.races import held_up

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]


@pytest.fixture
def stolen(merchant: Merchant) -> IssuedKey:
    return issue_key(merchant=merchant, livemode=True, name="Spare", now=utc_now())


def refused_while_revoking(
    stolen: IssuedKey, lock: Callable[[], object], act: Callable[[], object]
) -> bool:
    """Revoke the key in a transaction that holds what `act` waits for; return if it got a 401."""

    def revoke() -> None:
        lock()
        ApiKey.objects.filter(pk=stolen.key.pk).update(revoked_at=utc_now())

    answer = held_up(revoke, act)
    return getattr(answer, "status_code", answer) == 401


def an_invoice() -> dict[str, object]:
    return {
        "amount": 90_000,
        "payment_mode": "INVOICE_PAY",
        "invoice_number": "7",
        "customer_email": "ann@example.com",
        "due_date": (utc_now() + timedelta(days=9)).date().isoformat(),
        "terms": "Our bank has changed: pay to account 00-1234.",
    }


def test_a_revoked_key_changes_no_prices_of_a_counter(stolen: IssuedKey) -> None:
    """Its thief then buys at that price, and the next customer reads the thief's words."""
    thief, bread = (
        ApiClient(stolen.secret),
        [{"name": "Bread", "price": 450, "currency": "BSD"}],
    )
    assert thief.patch("/v1/till", {"products": bread}).status_code == 200
    cheap = {"products": [{"name": "Bread: call 242 555 0100", "price": 1, "currency": "BSD"}]}

    assert refused_while_revoking(
        stolen,
        lambda: Till.objects.select_for_update().get(),
        lambda: thief.patch("/v1/till", cheap),
    )
    assert Till.objects.get().products == bread


def test_a_revoked_key_closes_no_tills(stolen: IssuedKey, merchant: Merchant) -> None:
    """Its thief would have each cashier stand before a screen that is gone."""
    thief = ApiClient(stolen.secret)

    assert refused_while_revoking(
        stolen,
        lambda: Merchant.objects.locked(merchant.id),
        lambda: thief.post("/v1/till/renew-screens", {}),
    )
    merchant.refresh_from_db()
    assert merchant.live_screens_renewed == 0


@pytest.mark.parametrize(
    "changes", [{"metadata": {"order": "the dear one"}}, {"description": "The dear one"}]
)
def test_a_revoked_key_does_not_say_what_was_paid_for(
    stolen: IssuedKey, changes: dict[str, object]
) -> None:
    """Its thief pays a little, and has the shop's server deliver what this names."""
    thief = ApiClient(stolen.secret)
    thief.post("/v1/payments", {"amount": 150, "metadata": {"order": "the cheap one"}})
    payment = Payment.objects.get()

    assert refused_while_revoking(
        stolen,
        lambda: Payment.objects.locked(payment.pk),
        lambda: thief.patch(f"/v1/payments/{payment.pk}", changes),
    )
    after = Payment.objects.get()
    assert (after.metadata, after.description) == (payment.metadata, payment.description)


def test_a_revoked_key_sends_no_invoice_with_its_words(stolen: IssuedKey) -> None:
    """Invoices of one merchant wait for each other to be counted: those in line were all mailed."""
    thief = ApiClient(stolen.secret)
    counted = [(_per_merchant(), stolen.key.merchant_id)]

    assert refused_while_revoking(
        stolen,
        lambda: count_or_refuse(counted, now=utc_now()),
        lambda: thief.post("/v1/payments", an_invoice()),
    )
    assert not Payment.objects.exists()
    assert not Message.objects.exists()


def test_a_merchant_suspended_meanwhile_sends_no_invoice(stolen: IssuedKey) -> None:
    merchant_id = stolen.key.merchant_id

    def suspend() -> None:
        count_or_refuse([(_per_merchant(), merchant_id)], now=utc_now())
        Merchant.objects.filter(pk=merchant_id).update(status="suspended")

    client = ApiClient(stolen.secret)
    answer = held_up(suspend, lambda: client.post("/v1/payments", an_invoice()))

    assert not isinstance(answer, Exception)
    assert (answer.status_code, answer.json()["code"]) == (422, "MERCHANT_INACTIVE")
    assert not Message.objects.exists()


def test_a_revoked_key_leads_no_one_who_waits_to_its_payment(stolen: IssuedKey) -> None:
    """The page of a payment that failed goes on to its replacement, and from there to its URL."""
    thief = ApiClient(stolen.secret)
    thief.post("/v1/payments", {"amount": 150})
    payment = Payment.objects.get()
    assert thief.post(f"/v1/payments/{payment.pk}/cancel").status_code == 200
    body = {"amount": 150, "replaces": payment.pk, "success_url": "https://thief.example/"}

    assert refused_while_revoking(
        stolen,
        lambda: Payment.objects.locked(payment.pk),
        lambda: thief.post("/v1/payments", body),
    )
    assert Payment.objects.get() == payment
    assert not Replacement.objects.exists()


def test_a_revoked_key_cancels_no_payment(stolen: IssuedKey) -> None:
    """Customers before the page that they are about to pay were sent away, one for each request."""
    thief = ApiClient(stolen.secret)
    thief.post("/v1/payments", {"amount": 150})
    payment = Payment.objects.get()

    assert refused_while_revoking(
        stolen,
        lambda: Payment.objects.locked(payment.pk),
        lambda: thief.post(f"/v1/payments/{payment.pk}/cancel"),
    )
    assert Payment.objects.get() == payment
    assert Payment.objects.get().status == "created"


@pytest.mark.parametrize("path", ["payments", "payment-links"])
def test_a_revoked_key_asks_no_one_to_pay(stolen: IssuedKey, path: str) -> None:
    """Requests of one merchant wait for each other to be counted, as its invoices do."""
    thief, merchant_id = ApiClient(stolen.secret), stolen.key.merchant_id
    made = thief.post(f"/v1/{path}", {"amount": 150, "description": "A fine: pay at once"})
    assert made.status_code == 201
    counted = [(PER_MERCHANT, f"{merchant_id} True")]
    Message.objects.all().delete()

    assert refused_while_revoking(
        stolen,
        lambda: count_or_refuse(counted, now=utc_now()),
        lambda: thief.post(f"/v1/{path}/{made.json()['id']}/send", {"email": "ann@example.com"}),
    )
    assert not Message.objects.exists()


@pytest.mark.parametrize("path", ["payments", "payment-links"])
def test_a_merchant_suspended_meanwhile_asks_no_one_to_pay(stolen: IssuedKey, path: str) -> None:
    """The e-mail would have been sent in its name, to a page where no one can pay any more."""
    client, merchant_id = ApiClient(stolen.secret), stolen.key.merchant_id
    made = client.post(f"/v1/{path}", {"amount": 150, "description": "Tour"})
    Message.objects.all().delete()

    def suspend() -> None:
        count_or_refuse([(PER_MERCHANT, f"{merchant_id} True")], now=utc_now())
        Merchant.objects.filter(pk=merchant_id).update(status="suspended")

    send = f"/v1/{path}/{made.json()['id']}/send"
    answer = held_up(suspend, lambda: client.post(send, {"email": "ann@example.com"}))

    assert not isinstance(answer, Exception)
    assert (answer.status_code, answer.json()["code"]) == (422, "MERCHANT_INACTIVE")
    assert not Message.objects.exists()
