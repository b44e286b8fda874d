"""A payment survives what its customer can put right, until too many attempts have failed."""

from datetime import timedelta
from typing import Any

import pytest

from checkout.flow import FAILED_ATTEMPTS
from core.attempt_limits import count_attempt
from core.clock import utc_now
from customers.models import PIN_ATTEMPTS_UNTIL_DISABLED, Customer
from customers.pins import check_pin
from payments.models import Payment, PaymentTransition
from payments.statuses import PAYABLE, PaymentStatus
from tests.checkout.shopper import Shopper, signed_in_at
from tests.factories import PasskeyFactory
from webhooks.models import Event

pytestmark = pytest.mark.django_db
DECLINED_PHONE, LOCKED_PHONE = "+1 242 555 0103", "+1 242 555 0106"


def exhaust(payment: Payment) -> None:
    """Let as many attempts fail as may without failing the payment."""
    for _ in range(FAILED_ATTEMPTS.times):
        count_attempt(FAILED_ATTEMPTS, payment.id, now=utc_now())


@pytest.mark.parametrize("amount", [150, 1_250])
def test_a_decline_returns_to_the_review_and_tells_the_merchant_nothing(payment_of, amount):
    payment = payment_of(amount)
    shopper = signed_in_at(payment, DECLINED_PHONE)
    shopper.send(**({"to": "/pay"} if amount == 150 else {"pin": "1234"}))

    payment.refresh_from_db()
    assert shopper.path == f"{payment.hosted_url}/declined"
    assert "<h1>The payment was declined</h1>" in shopper.text
    assert (payment.status, payment.error_code) == (PaymentStatus.PENDING, None)
    assert payment.customer is None
    assert Event.objects.count() == 0


def test_a_decline_is_in_the_record(payment_of):
    payment = payment_of(1_250)
    signed_in_at(payment, DECLINED_PHONE).send(pin="1234")

    last = PaymentTransition.objects.latest("id")
    assert (last.to_status, last.cause) == ("pending", "PAYMENT_FAILED")


@pytest.mark.parametrize(
    ("phone", "amount", "values", "code"),
    [
        (DECLINED_PHONE, 150, {"to": "/pay"}, "PAYMENT_FAILED"),
        (DECLINED_PHONE, 1_250, {"pin": "1234"}, "PAYMENT_FAILED"),
        ("+1 242 555 0177", 1_250, {"pin": "9999"}, "PIN_LOCKED"),
    ],
)
def test_one_attempt_too_many_fails_it(payment_of, phone, amount, values, code):
    payment = payment_of(amount)
    shopper = signed_in_at(payment, phone)
    exhaust(payment)
    shopper.send(**values)

    payment.refresh_from_db()
    assert (payment.status, payment.error_code) == (PaymentStatus.FAILED, code)
    assert "<h1>The payment failed</h1>" in shopper.text
    assert "No money has been taken." in shopper.text
    assert [event.type for event in Event.objects.all()] == ["payment.failed"]


def test_attempts_of_all_customers_count_together(payment_of):
    payment = payment_of(1_250)
    for _ in range(FAILED_ATTEMPTS.times - 1):
        count_attempt(FAILED_ATTEMPTS, payment.id, now=utc_now())
    for number in (1, 2):
        signed_in_at(payment, f"+1 242 555 017{number}").send(pin="9999")

    payment.refresh_from_db()
    assert payment.status == PaymentStatus.FAILED


def test_the_wrong_pin_that_locks_it_leaves_the_merchant_free_to_cancel(payment_of):
    payment = payment_of(1_250)
    shopper = signed_in_at(payment, "+1 242 555 0177")
    fields = shopper.form().fields
    for _ in range(5):
        shopper.client.post(shopper.path, fields | {"pin": "9999"})

    payment.refresh_from_db()
    last = PaymentTransition.objects.latest("id")
    assert payment.status == PaymentStatus.PENDING
    assert (last.from_status, last.to_status, last.cause) == (
        "requires_action",
        "pending",
        "PIN_LOCKED",
    )
    shopper.visit(shopper.path)
    assert "<h1>Your PIN is locked</h1>" in shopper.text


def test_the_page_of_a_locked_pin_leads_to_the_passkey(payment_of):
    payment = payment_of(1_250)
    shopper = signed_in_at(payment, "+1 242 555 0177")
    PasskeyFactory(customer=Customer.objects.get())
    fields = shopper.form().fields
    for _ in range(5):
        shopper.client.post(shopper.path, fields | {"pin": "9999"})
    shopper.visit(f"{payment.hosted_url}/passkey")

    assert shopper.path == f"{payment.hosted_url}/passkey"
    assert "<h1>Confirm with your passkey</h1>" in shopper.text


def test_the_fifteenth_wrong_pin_of_several_customers_fails_the_payment(payment_of):
    payment = payment_of(1_250)
    for number in (1, 2, 3):
        shopper = signed_in_at(payment, f"+1 242 555 017{number}")
        fields = shopper.form().fields
        for _ in range(5):
            payment.refresh_from_db()
            assert payment.status in PAYABLE
            shopper.client.post(shopper.path, fields | {"pin": "9999"})

    payment.refresh_from_db()
    assert (payment.status, payment.error_code) == (PaymentStatus.FAILED, "PIN_LOCKED")


def test_the_wrong_pin_that_disables_it_is_an_attempt_too(payment_of):
    payment = payment_of(1_250)
    shopper = signed_in_at(payment, "+1 242 555 0177")
    Customer.objects.update(pin_failures=PIN_ATTEMPTS_UNTIL_DISABLED - 1)
    exhaust(payment)
    shopper.send(pin="9999")

    payment.refresh_from_db()
    assert payment.status == PaymentStatus.FAILED


def test_a_pin_that_is_locked_already_costs_the_payment_no_attempt(payment_of):
    payment, shopper = payment_of(1_250), Shopper()
    shopper.visit(payment.hosted_url)
    agreed = shopper.form(to="/pay").fields["agreed"]
    shopper.sign_in(LOCKED_PHONE)
    exhaust(payment)
    fields = shopper.form(to="/back").fields | {"agreed": agreed}
    shopper.client.post(shopper.path, fields | {"pin": "9999"})

    payment.refresh_from_db()
    assert payment.status == PaymentStatus.PENDING


def test_a_pin_that_is_locked_meanwhile_costs_the_payment_no_attempt(payment_of, monkeypatch):
    """Of many at once, all but five failed the payment unseen: one phone was enough for that."""
    payment = payment_of(1_250)
    shopper = signed_in_at(payment, "+1 242 555 0177")
    exhaust(payment)

    def locked_first(**values: Any) -> None:
        Customer.objects.update(pin_locked_until=utc_now() + timedelta(minutes=30))
        check_pin(**values)

    monkeypatch.setattr("checkout.flow.check_pin", locked_first)
    shopper.send(pin="9999")

    payment.refresh_from_db()
    assert payment.status == PaymentStatus.PENDING


def test_once_the_lock_is_lifted_a_payment_begins_with_its_review_again(payment_of):
    """What is pending waits for no PIN: it would be paid without a press of Pay."""
    payment = payment_of(1_250)
    shopper = signed_in_at(payment, "+1 242 555 0177")
    page, fields = shopper.path, shopper.form().fields
    for _ in range(5):
        shopper.client.post(page, fields | {"pin": "9999"})
    Customer.objects.update(pin_failures=0, pin_locked_until=None)

    shopper.client.post(page, fields | {"pin": "1234"})

    payment.refresh_from_db()
    assert payment.status == PaymentStatus.PENDING
    shopper.visit(page)
    assert shopper.path == payment.hosted_url


def test_no_pin_is_asked_for_before_pay_is_pressed(payment_of):
    shopper = signed_in_at(payment_of(1_250), "+1 242 555 0177")
    fields, payment = shopper.form().fields, payment_of(1_250)
    page = f"{payment.hosted_url}/pin"

    shopper.client.post(page, fields | {"pin": "1234"})

    payment.refresh_from_db()
    assert payment.status == PaymentStatus.CREATED
    shopper.visit(page)
    assert shopper.path == payment.hosted_url


def test_while_the_pin_is_locked_no_field_is_shown_and_a_new_pin_leads_back(payment_of):
    payment = payment_of(1_250)
    shopper = signed_in_at(payment, "+1 242 555 0177")
    fields = shopper.form().fields
    for _ in range(5):
        shopper.client.post(shopper.path, fields | {"pin": "9999"})
    shopper.visit(shopper.path)
    assert 'name="pin"' not in shopper.text
    assert shopper.text.index("Choose a new PIN") > shopper.text.index('class="pay"')

    shopper.visit(f"/account/pin/forgotten?payment={payment.id}&test=1")
    shopper.send(again="1")
    shopper.send(code="000000", pin="8305")
    assert shopper.path == payment.hosted_url
    shopper.send(to="/pay", pin="8305")

    payment.refresh_from_db()
    assert payment.status == PaymentStatus.COMPLETED
    assert Customer.objects.get().pin_failures == 0


def test_the_phone_with_a_locked_pin_leaves_the_payment_open(payment_of):
    payment = payment_of(1_250)
    shopper = signed_in_at(payment, LOCKED_PHONE)

    payment.refresh_from_db()
    assert "<h1>Your PIN is locked</h1>" in shopper.text
    assert payment.status == PaymentStatus.REQUIRES_ACTION


def test_who_was_not_declined_may_look_at_the_page_as_well(payment):
    shopper = Shopper()
    shopper.visit(f"{payment.hosted_url}/declined")

    assert shopper.response.status_code == 200
    assert f'href="{payment.hosted_url}/phone"' in shopper.text
