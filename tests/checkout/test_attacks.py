"""The attacks of someone who wants to pay with other people's money, or not at all."""

from functools import partial

import pytest
from django.test import Client

import config.urls  # noqa: F401  # registers the converters
from backoffice.payment_answer import answer_of
from backoffice.resource.shown import actor_words
from checkout import urls
from core.clock import utc_now
from customers.models import Customer
from ledger.models import Transfer
from payments.models import Payment, PaymentTransition
from payments.statuses import PaymentStatus
from tests.checkout.shopper import Shopper, signed_in_at

signed_in = partial(signed_in_at, phone="+1 242 555 0177")


def with_token(shopper: Shopper, path: str, **values: str):
    """Post to any address what the form at hand would, with its CSRF token."""
    return shopper.client.post(path, shopper.form().fields | values)


ROUTES = [
    pattern
    for pattern in urls.urlpatterns
    if hasattr(getattr(pattern.callback, "view_class", None), "post")
]


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)
def test_no_form_is_taken_without_its_token(payment, route):
    path = "/" + str(route.pattern).replace("<id:payment_id>", payment.id)
    for part in ("<slug:merchant_slug>", "<id:link_id>", "<id:token>", "<slug:handle>"):
        path = path.replace(part, "1")
    response = Client(enforce_csrf_checks=True).post(path, {"pin": "1234", "outcome": "approve"})

    assert response.status_code == 403
    assert "Your browser sent no cookie" in response.content.decode()
    assert PaymentTransition.objects.count() == 0


def test_an_amount_for_a_passkey_is_not_paid_by_a_pin(payment_of):
    payment = payment_of(5_001)
    shopper = signed_in(payment)
    response = with_token(shopper, f"{payment.hosted_url}/pin", pin="1234")

    payment.refresh_from_db()
    assert response.status_code == 303
    assert payment.status == PaymentStatus.REQUIRES_ACTION
    assert Customer.objects.get(phone="+12425550177").pin_failures == 0


@pytest.mark.parametrize("step", ["pin", "passkey", "passkey/new", "passkey/pin", "pin/new"])
def test_no_step_is_taken_by_who_is_not_signed_in(payment_of, step):
    payment = payment_of(1_250)
    signed_in(payment)
    stranger = Shopper()
    stranger.visit(f"{payment.hosted_url}/phone")
    response = with_token(stranger, f"{payment.hosted_url}/{step}", pin="1234", credential="{}")

    payment.refresh_from_db()
    phone = f"{payment.hosted_url}/phone?signed-out=1"
    assert (response.status_code, response["Location"]) == (303, phone)
    assert payment.status == PaymentStatus.REQUIRES_ACTION


def test_a_pin_before_pay_was_pressed_is_not_looked_at(payment_of):
    payment, other = payment_of(1_250), payment_of(150)
    shopper = signed_in(other)
    response = with_token(shopper, f"{payment.hosted_url}/pin", pin="1234")

    payment.refresh_from_db()
    assert (response.status_code, response["Location"]) == (303, payment.hosted_url)
    assert payment.status == PaymentStatus.CREATED


def test_pressing_pay_does_not_pay_what_needs_a_pin(payment_of):
    payment = payment_of(201)
    shopper = signed_in(payment)
    for _ in range(3):
        with_token(shopper, f"{payment.hosted_url}/pay")

    payment.refresh_from_db()
    assert payment.status == PaymentStatus.REQUIRES_ACTION
    assert Transfer.objects.filter(kind="payment").count() == 0


def test_a_session_of_test_mode_opens_no_live_payment(payment_of):
    shopper = signed_in(payment_of(150))
    live = payment_of(150, livemode=True)
    shopper.client.cookies["customer"] = shopper.client.cookies["customer-test"].value
    shopper.visit(live.hosted_url)
    shopper.send(to="/pay")

    live.refresh_from_db()
    assert shopper.path.endswith("/phone")
    assert live.status == PaymentStatus.CREATED


def test_a_live_payment_cannot_be_simulated(payment_of):
    live = payment_of(150, livemode=True)
    shopper = Shopper()
    shopper.visit(live.hosted_url)
    response = with_token(shopper, f"{live.hosted_url}/simulate", outcome="approve")

    live.refresh_from_db()
    assert (response.status_code, response["Location"]) == (303, live.hosted_url)
    assert live.status == PaymentStatus.CREATED
    assert shopper.visit(live.hosted_url).status_code == 422


@pytest.mark.parametrize("step", ["cancel", "pay", "back", "phone", "simulate"])
def test_a_customer_neither_closes_nor_pays_a_counter_itself(payment_of, step):
    counter = payment_of(None, payment_mode="STATIC_PAY", expires_at=None)
    shopper = Shopper()
    shopper.visit(counter.hosted_url)
    answer = with_token(
        shopper, f"{counter.hosted_url}/{step}", outcome="approve", phone="2425550100"
    )
    shopper.visit(f"{counter.hosted_url}/cancel")

    counter.refresh_from_db()
    assert (answer.status_code, answer["Location"]) == (303, counter.hosted_url)
    assert shopper.path == counter.hosted_url
    assert counter.status == PaymentStatus.CREATED


def test_the_amount_of_a_payment_at_a_counter_is_fixed_once_it_is_shown(payment_of):
    counter = payment_of(None, payment_mode="STATIC_PAY", expires_at=None)
    shopper = Shopper()
    shopper.visit(counter.hosted_url)
    shopper.send(amount="1.50")
    child = Payment.objects.get(static_payment=counter)
    with_token(shopper, shopper.path, amount="0.01", key="x")
    with_token(shopper, f"{shopper.path}/pay", amount="1")

    child.refresh_from_db()
    assert child.amount == 150


def test_two_tabs_pay_once(payment_of):
    payment = payment_of(150)
    shopper = signed_in(payment)
    form = shopper.form("/pay")
    answers = [shopper.client.post(f"{payment.hosted_url}/pay", form.fields) for _ in range(2)]

    assert [answer["Location"] for answer in answers] == [
        f"{payment.hosted_url}?paid=1",
        payment.hosted_url,
    ]
    shopper.visit(answers[1]["Location"])
    assert "Paid" in shopper.text
    assert "already" not in shopper.text
    assert Transfer.objects.filter(kind="payment").count() == 1


@pytest.mark.parametrize("step", ["pay", "pin", "cancel", "back", "phone", "code"])
def test_nothing_is_pressed_after_the_time_has_passed(payment_of, step):
    payment = payment_of(1_250)
    shopper = signed_in(payment)
    Payment.objects.filter(pk=payment.pk).update(expires_at=utc_now())
    response = with_token(
        shopper, f"{payment.hosted_url}/{step}", pin="1234", phone="2425550100", code="000000"
    )

    payment.refresh_from_db()
    assert (response.status_code, response["Location"]) == (303, payment.hosted_url)
    assert payment.status == PaymentStatus.REQUIRES_ACTION
    assert Transfer.objects.filter(kind="payment").count() == 0


def test_a_frozen_customer_pays_nothing_and_is_told(payment_of):
    payment = payment_of(150)
    shopper = signed_in(payment)
    Customer.objects.update(frozen_at=utc_now())
    shopper.send(to="/pay")
    assert shopper.path == f"{payment.hosted_url}/phone?signed-out=1"
    shopper.send(phone="+1 242 555 0177")
    response = shopper.send(code="000000")

    payment.refresh_from_db()
    assert response.status_code == 422
    assert "Your wallet cannot pay at the moment" in shopper.text
    assert f'href="{payment.hosted_url}">View the payment</a>' in shopper.text
    assert payment.status == PaymentStatus.PENDING


@pytest.mark.slow
def test_pressing_is_limited_by_address_where_limits_are_on(payment_of, settings):
    settings.RATE_LIMITS = True
    counter = payment_of(None, payment_mode="STATIC_PAY", expires_at=None)
    shopper = Shopper()
    shopper.visit(counter.hosted_url)
    fields = shopper.form().fields | {"amount": "abc"}
    statuses = [shopper.client.post(counter.hosted_url, fields).status_code for _ in range(202)]

    assert statuses == [303] * 200 + [429] * 2
    assert Client().get(counter.hosted_url).status_code == 200


def test_headers_that_every_page_has(payment_of):
    shopper = Shopper()
    for path in (payment_of(150).hosted_url, "/checkout/nothing", "/account/phone"):
        headers = shopper.visit(path).headers

        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "script-src 'nonce-" in headers["Content-Security-Policy"]
        assert "'unsafe-inline'" not in headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert headers["X-Robots-Tag"] == "noindex, nofollow"
        assert "camera=()" in headers["Permissions-Policy"]
        assert "style=" not in shopper.text


@pytest.mark.parametrize("is_signed_in", [False, True])
def test_who_only_has_the_address_cancels_in_no_customers_name(payment, is_signed_in):
    """A key that only reads a payment reads its address, too."""
    shopper = signed_in(payment) if is_signed_in else Shopper()
    shopper.visit(f"{payment.hosted_url}/cancel")

    shopper.send()

    last = PaymentTransition.objects.latest("pk")
    customer = f"customer:{Customer.objects.get().pk}" if is_signed_in else ""
    assert last.to_status == PaymentStatus.CANCELED
    assert (last.actor, last.cause) == (
        (customer, "by the customer") if is_signed_in else ("visitor", "at its page, not signed in")
    )


def test_staff_are_told_that_someone_not_signed_in_canceled(payment):
    shopper = Shopper()
    shopper.visit(f"{payment.hosted_url}/cancel")
    shopper.send()
    payment.refresh_from_db()

    assert "by someone not signed in." in answer_of(payment, utc_now()).words[0]
    assert actor_words("visitor") == "someone not signed in"
