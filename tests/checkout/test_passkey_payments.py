"""One ceremony: a passkey that is made pays at once, and a known device signs in by paying."""

from datetime import timedelta
from typing import Any

import pytest

from checkout.browser_session import DEVICE_COOKIE
from core.clock import utc_now
from customers.errors import ProofNeeded
from customers.models import Customer, CustomerSession, Passkey
from customers.pins import set_pin
from customers.services import top_up
from customers.sessions import proof_needed
from merchants.callers import Caller
from payments.models import Payment
from payments.services import update_payment
from payments.statuses import PaymentStatus
from tests.checkout.held_passkeys import ask, make_passkey, on_this_device
from tests.checkout.shopper import Shopper
from tests.customers.authenticator import VirtualAuthenticator

pytestmark = pytest.mark.django_db
PHONE = "+1 242 359 1234"


def signed_in(payment: Payment, texts: Any, *, balance: int = 100_000) -> Shopper:
    """Bring a new live customer, to whom money is given, to the step after the code."""
    shopper = Shopper()
    shopper.visit(payment.hosted_url)
    shopper.send(to="/pay")
    shopper.send(phone=PHONE)
    shopper.send(code=texts.code)
    top_up(customer=Customer.objects.get(), amount=balance, currency="BSD", now=utc_now())
    shopper.visit(payment.hosted_url)
    shopper.send(to="/pay")
    return shopper


def test_a_new_passkey_pays_at_once_without_a_pin(payment_of, texts):
    payment = payment_of(1_250, livemode=True)
    make_passkey(signed_in(payment, texts), payment)

    payment.refresh_from_db()
    assert payment.status == PaymentStatus.COMPLETED
    customer = Customer.objects.get()
    assert (customer.pin_hash, customer.new_proof_amount) == ("", 1_250)


def test_it_pays_50_in_all_in_its_first_day(payment_of, texts):
    payment = payment_of(12_500, livemode=True)
    shopper = signed_in(payment, texts)
    assert "a new passkey can pay up to B$50.00 in all in its first 24 hours." in shopper.text
    assert "and pay B$125.00" not in shopper.text
    make_passkey(shopper, payment)

    payment.refresh_from_db()
    assert "Your PIN or passkey is new" in shopper.text
    assert "it can pay only small amounts in its first 24 hours. No money has" in shopper.text
    assert payment.status == PaymentStatus.REQUIRES_ACTION
    assert Passkey.objects.count() == 1


@pytest.mark.parametrize(
    ("hours", "said"),
    [
        (24, "This payment ends before that: ask Conch Shack for a new one then."),
        (25, "You can make this payment after that."),
        (None, "You can make this payment after that."),
    ],
)
def test_what_ends_while_a_passkey_is_new_is_not_promised(payment_of, merchant, texts, hours, said):
    """An ordinary payment ends within a day, and so before a passkey made for it may pay it."""
    merchant.name = "Conch Shack"
    merchant.save()
    expires_at = None if hours is None else utc_now() + timedelta(hours=hours)
    payment = payment_of(12_500, livemode=True, expires_at=expires_at)

    assert said in signed_in(payment, texts).text


def test_a_device_that_made_or_used_a_passkey_is_known_though_it_may_not_pay_yet(payment_of, texts):
    """Neither was: the next payment asked for a code, with the passkey at hand."""
    payment = payment_of(12_500, livemode=True)
    shopper = signed_in(payment, texts)
    device = make_passkey(shopper, payment)
    assert shopper.client.cookies.pop(DEVICE_COOKIE).value
    path = f"{payment.hosted_url}/passkey"
    shopper.visit(path)
    shopper.send(credential=on_this_device(device.get(ask(shopper, f"{path}/options"))))

    assert "Your PIN or passkey is new" in shopper.text
    assert shopper.client.cookies[DEVICE_COOKIE].value
    assert Payment.objects.get().completed_at is None


def test_a_challenge_for_one_payment_makes_no_passkey_for_another(payment_of, texts):
    payment, other = payment_of(1_250, livemode=True), payment_of(1_250, livemode=True)
    shopper, device = signed_in(payment, texts), VirtualAuthenticator()
    shopper.visit(f"{payment.hosted_url}/passkey/new")
    options = ask(shopper, f"{payment.hosted_url}/passkey/new/options")
    CustomerSession.objects.update(payment_id=other.id)
    shopper.visit(other.hosted_url)
    shopper.send(to="/pay")
    shopper.visit(f"{other.hosted_url}/passkey/new")
    shopper.send(credential=device.create(options))

    assert "The passkey could not be checked." in shopper.text
    assert Passkey.objects.count() == 0


def test_a_known_device_signs_in_and_pays_by_one_answer(payment_of, texts):
    first, second = payment_of(1_250, livemode=True), payment_of(1_300, livemode=True)
    shopper = signed_in(first, texts)
    device = make_passkey(shopper, first)
    shopper.visit(second.hosted_url)
    assert 'data-passkey="get"' in shopper.text
    assert "From the wallet of" not in shopper.text

    path = f"{second.hosted_url}/passkey/device"
    options = ask(shopper, f"{path}/options")
    fields = shopper.form(to="/pay").fields | {"credential": on_this_device(device.get(options))}
    answer = shopper.client.post(path, fields, headers={"user-agent": "iPad"})

    second.refresh_from_db()
    assert answer["Location"] == f"{second.hosted_url}?paid=1"
    assert second.status == PaymentStatus.COMPLETED
    session = CustomerSession.objects.latest("id")
    assert (session.payment_id, session.code_verified_at) == (second.id, None)
    assert (session.passkey_verified_at, session.device) == (None, "iPad")


def test_what_is_changed_beside_the_dialog_of_a_known_device_is_read_first(payment_of, texts):
    first = payment_of(1_250, livemode=True)
    second = payment_of(1_300, livemode=True, description="A phone")
    shopper = signed_in(first, texts)
    device = make_passkey(shopper, first)
    shopper.visit(second.hosted_url)
    path = f"{second.hosted_url}/passkey/device"
    options = ask(shopper, f"{path}/options")
    caller, changes = Caller(second.merchant, livemode=True, actor="test"), {"description": "A box"}
    update_payment(caller=caller, payment_id=second.id, changes=changes, now=utc_now())
    fields = {"credential": on_this_device(device.get(options))}
    answer = shopper.client.post(path, shopper.form(to="/pay").fields | fields)

    assert answer["Location"] == second.hosted_url
    assert Payment.objects.get(pk=second.pk).completed_at is None
    shopper.visit(second.hosted_url)
    assert "The shop has changed what this payment is for." in shopper.text
    assert "A box" in shopper.text


def test_a_session_by_passkey_changes_neither_pin_nor_passkeys(payment_of, texts):
    payment = payment_of(1_250, livemode=True)
    make_passkey(signed_in(payment, texts), payment)
    session = CustomerSession.objects.latest("id")

    assert proof_needed(session, now=utc_now()) == "passkey"
    with pytest.raises(ProofNeeded):
        set_pin(customer_id=session.customer_id, pin="8305", now=utc_now(), session_id=session.pk)


def test_without_the_cookie_of_the_device_a_code_is_asked_for(payment_of, texts):
    first, second = payment_of(1_250, livemode=True), payment_of(1_300, livemode=True)
    shopper = signed_in(first, texts)
    make_passkey(shopper, first)
    del shopper.client.cookies[DEVICE_COOKIE]
    shopper.visit(second.hosted_url)
    assert "data-passkey" not in shopper.text

    path = f"{second.hosted_url}/passkey/device"
    assert ask(shopper, f"{path}/options") == {"go": f"{second.hosted_url}/phone"}
    answer = shopper.client.post(path, shopper.form(to="/pay").fields | {"credential": "{}"})
    assert answer["Location"] == f"{second.hosted_url}/phone"


def test_a_test_device_of_one_merchant_is_not_known_at_another(payment_of, stranger):
    shopper, device = Shopper(), VirtualAuthenticator()
    payment = payment_of(12_500)
    shopper.visit(payment.hosted_url)
    shopper.sign_in()
    options = ask(shopper, f"{payment.hosted_url}/passkey/new/options")
    shopper.send(credential=on_this_device(device.create(options)))
    assert "<h1>Paid</h1>" in shopper.text

    elsewhere = payment_of(150)
    Payment.objects.filter(pk=elsewhere.pk).update(merchant=stranger)
    shopper.visit(elsewhere.hosted_url)
    assert "data-passkey" not in shopper.text


def test_an_answer_for_another_payment_does_not_sign_in(payment_of, texts):
    first, second, third = (payment_of(1_250, livemode=True) for _ in range(3))
    shopper = signed_in(first, texts)
    device = make_passkey(shopper, first)
    shopper.visit(second.hosted_url)
    options = ask(shopper, f"{second.hosted_url}/passkey/device/options")
    shopper.visit(third.hosted_url)
    fields = shopper.form(to="/pay").fields | {"credential": device.get(options)}
    shopper.client.post(f"{third.hosted_url}/passkey/device", fields)
    shopper.visit(third.hosted_url)

    assert "The passkey could not be checked." in shopper.text
    assert CustomerSession.objects.count() == 1
    third.refresh_from_db()
    assert third.status == PaymentStatus.CREATED
