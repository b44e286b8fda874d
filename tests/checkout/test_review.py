"""GET /checkout/<id>: what is paid, to whom, until when, and how it ended."""

from datetime import timedelta

import pytest
from django.db import InterfaceError, OperationalError
from django.test import Client
from django.utils.html import escape

from core.clock import utc_now
from merchants.serializers import NewMerchant
from payments.models import PaymentTransition
from payments.statuses import PaymentStatus
from tests.checkout.shopper import Shopper

SHOP = {
    "success_url": "https://shop.example/thanks?a=1",
    "cancel_url": "https://shop.example/{PAYMENT_ID}",
}


def test_it_shows_payee_amount_description_and_the_act(payment_of, merchant):
    payment = payment_of(1_250, description="Table 7 <script>alert(1)</script>")
    shopper = Shopper()
    response = shopper.visit(payment.hosted_url)

    assert response.status_code == 200
    assert f'<h1 id="payee">{merchant.name}</h1>' in shopper.text
    assert "B$12.50 <small>BSD</small>" in shopper.text
    assert "Table 7 &lt;script&gt;" in shopper.text
    assert "<script>alert" not in shopper.text
    assert ">Pay B$12.50</button>" in shopper.text
    assert "Test: no money moves" in shopper.text
    assert "+12425550103" in shopper.text


def test_looking_changes_nothing(payment_of):
    payment = payment_of(1_250)
    shopper = Shopper()
    for path in ("", "/phone", "/code", "/pin", "/passkey", "/cancel", "/status", "/qr.png"):
        shopper.visit(payment.hosted_url + path)

    payment.refresh_from_db()
    assert payment.status == PaymentStatus.CREATED
    assert PaymentTransition.objects.count() == 0


def test_a_live_payment_offers_no_test_tools(payment_of):
    payment = payment_of(1_250, livemode=True)
    shopper = Shopper()
    shopper.visit(payment.hosted_url)

    assert "Test: no money moves" not in shopper.text
    assert "simulate" not in shopper.text
    assert "+12425550100" not in shopper.text


def test_it_itemises_an_order_with_the_difference_as_a_row_of_its_own(payment_of):
    items = [
        {"name": "Rum <b>cake</b>", "quantity": 2, "price": 1_500},
        {"name": "Box", "quantity": 1, "price": 200},
    ]
    payment = payment_of(3_500, payment_mode="ORDER_PAY", line_items=items, order_id="A-7")
    shopper = Shopper()
    shopper.visit(payment.hosted_url)

    assert "Rum &lt;b&gt;cake&lt;/b&gt;</dt><dd>B$30.00</dd>" in shopper.text
    assert "<dt>Tax, delivery and other</dt><dd>B$3.00</dd>" in shopper.text
    assert "<dt>Total</dt><dd>B$35.00</dd>" in shopper.text
    assert "<dt>Order</dt><dd>A-7</dd>" in shopper.text


def test_it_calls_a_negative_difference_a_discount(payment_of):
    items = [{"name": "Cake", "quantity": 1, "price": 1_500}]
    payment = payment_of(1_000, payment_mode="ORDER_PAY", line_items=items)
    shopper = Shopper()
    shopper.visit(payment.hosted_url)

    assert "<dt>Discount</dt><dd>-B$5.00</dd>" in shopper.text


def test_the_time_left_is_clock_time_and_minutes(payment_of):
    payment = payment_of(100, expires_at=utc_now() + timedelta(minutes=23, seconds=30))
    shopper = Shopper()
    shopper.visit(payment.hosted_url)

    assert ">24 min left<" in shopper.text
    assert "Pay by " in shopper.text


@pytest.mark.parametrize(
    ("state", "title", "words"),
    [
        (
            {"status": "expired", "expired_at": utc_now()},
            "Payment Expired",
            "had to be paid",
        ),
        (
            {"status": "canceled", "canceled_at": utc_now()},
            "This payment was canceled",
            "no longer",
        ),
        (
            {"status": "failed", "failed_at": utc_now(), "error_code": "PIN_LOCKED"},
            "The payment failed",
            "Too many wrong PINs: your PIN is locked.",
        ),
        (
            {"status": "failed", "failed_at": utc_now(), "error_code": "PAYMENT_FAILED"},
            "The payment failed",
            "The payment was declined.",
        ),
        (
            {"status": "failed", "failed_at": utc_now(), "error_code": "VERIFICATION_FAILED"},
            "The payment failed",
            "The passkey could not be checked.",
        ),
        (
            {"status": "failed", "failed_at": utc_now(), "error_code": "INSUFFICIENT_BALANCE"},
            "The payment failed",
            "There was not enough money in the wallet.",
        ),
    ],
)
def test_every_end_has_a_page_that_says_what_next(payment_of, merchant, state, title, words):
    merchant.support_email = "help@shop.example"
    merchant.save()
    payment = payment_of(1_250, **SHOP, **state)
    shopper = Shopper()
    shopper.visit(payment.hosted_url)

    assert f"<h1>{title}</h1>" in shopper.text
    assert f"<title>{title} " in shopper.text
    assert words in shopper.text
    assert "No money has been taken." in shopper.text
    assert f'href="https://shop.example/{payment.id}"' in shopper.text
    assert 'href="mailto:help@shop.example"' in shopper.text
    assert shopper.form(to="/ask").buttons == []
    assert "Ask for a new payment" in shopper.text


@pytest.mark.parametrize("language", ["en", "es", "fr", "ht"])
def test_a_click_writes_to_the_address_that_is_shown(payment_of, merchant, language):
    """`%40`, `?` and `&` are letters of an address, and more than that in a link to one."""
    address = "claims%40bank.example?cc=b&bcc=c+d@shop.example"
    merchant.support_email = NewMerchant.parse(
        {"name": "A shop", "email": "ada@shop.example", "support_email": address}
    )["support_email"]
    merchant.save()
    payment = payment_of(1_250, status=PaymentStatus.CANCELED, canceled_at=utc_now())
    shopper = Shopper()
    shopper.visit(f"{payment.hosted_url}?lang={language}")

    link = '<a href="mailto:claims%2540bank.example%3Fcc%3Db%26bcc%3Dc%2Bd@shop.example">'
    assert f"{link}{escape(address)}</a>" in shopper.text


def test_a_payment_is_expired_from_the_second_on_that_its_time_has_passed(payment_of):
    payment = payment_of(1_250, expires_at=utc_now() - timedelta(seconds=1))
    shopper = Shopper()
    shopper.visit(payment.hosted_url)

    assert "<h1>Payment Expired</h1>" in shopper.text
    assert "Ask for a new payment" in shopper.text


def test_a_payment_being_paid_is_waited_for_without_javascript_too(payment_of):
    payment = payment_of(1_250, status="processing")
    shopper = Shopper()
    shopper.visit(payment.hosted_url)

    assert "<h1>Paying…</h1>" in shopper.text
    assert '<noscript><meta http-equiv="refresh" content="3"></noscript>' in shopper.text


@pytest.mark.parametrize("path", ["", "/phone", "/pin", "/qr.png", "/status", "/poster-a4.pdf"])
def test_an_unknown_payment_is_a_page_that_says_so(db, path):
    shopper = Shopper()
    response = shopper.visit(f"/checkout/pay_00000000{'x' * 22}{path}")

    assert response.status_code == 404
    assert "<h1>We cannot find this page</h1>" in shopper.text


@pytest.mark.parametrize("path", ["/checkout/nothing/at/all", "/pay/x", "/receipts/", "/account/x"])
def test_an_address_that_is_none_of_ours_is_a_page_too(db, path):
    shopper = Shopper()
    response = shopper.visit(path)

    assert response.status_code == 404
    assert "<h1>We cannot find this page</h1>" in shopper.text


@pytest.mark.parametrize(
    ("fault", "status"), [(RuntimeError, 500), (OperationalError, 503), (InterfaceError, 503)]
)
def test_a_fault_of_ours_is_a_page_that_claims_nothing(payment, monkeypatch, fault, status):
    shopper = Shopper()
    shopper.visit(payment.hosted_url)

    def fail(**_: object) -> None:
        raise fault("secret detail")

    monkeypatch.setattr("checkout.views.paying.cancel_by_customer", fail)
    shopper.visit(f"{payment.hosted_url}/cancel")
    response = shopper.send()

    assert response.status_code == status
    assert "The page of the payment shows whether it was paid." in shopper.text
    assert f'href="{payment.hosted_url}">View the payment</a>' in shopper.text
    assert "No money has been taken" not in shopper.text
    assert "secret detail" not in shopper.text


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", "{}", "GET, POST, HEAD, OPTIONS"),
        ("TRACE", "{}", "GET, POST, HEAD, OPTIONS"),
        ("POST", "{}", "GET, HEAD"),  # it is no counter's
        ("POST", "{}/declined", "GET, HEAD, OPTIONS"),
    ],
)
def test_a_wrong_method_is_refused_with_those_that_there_are(payment, method, path, allowed):
    response = Client().generic(method, path.format(payment.hosted_url))

    assert (response.status_code, response["Allow"]) == (405, allowed)
    assert b"</html>" in response.content


def test_the_status_is_one_word_while_the_customer_is_at_it(payment_of):
    for status in ("created", "pending", "requires_action"):
        payment = payment_of(1_250, status=status)
        answer = Shopper().visit(f"{payment.hosted_url}/status").json()
        assert answer == {"status": status, "version": "open"}


def test_the_status_is_expired_before_the_sweep_has_come_by(payment_of):
    payment = payment_of(1_250, expires_at=utc_now())

    answer = Shopper().visit(f"{payment.hosted_url}/status").json()

    assert answer == {"status": "expired", "version": "expired"}


def test_the_host_of_the_api_leads_to_the_checkouts_own(payment, settings):
    settings.BASE_URL, settings.CHECKOUT_URL = "https://api.example", "https://pay.example"
    settings.ALLOWED_HOSTS = ["api.example", "pay.example"]
    client = Client()

    address = f"{payment.hosted_url}?lang=fr"
    response = client.get(address, headers={"host": "api.example"})
    assert (response.status_code, response["Location"]) == (302, f"https://pay.example{address}")
    assert client.get(address, headers={"host": "pay.example"}).status_code == 200
    svg = client.get(f"{payment.hosted_url}/qr.svg", headers={"host": "api.example"})
    assert svg.status_code == 200


@pytest.mark.parametrize(("amount", "is_told"), [(5_000, False), (5_001, True)])
def test_that_an_amount_needs_javascript_is_said_before_a_phone_is_typed(
    payment_of, amount, is_told
):
    """It was said last, after a phone number, a code and a PIN."""
    shopper = Shopper()
    shopper.visit(payment_of(amount).hosted_url)

    noted = '<noscript><p class="note is-wait">This amount is confirmed with a passkey, which'
    assert (noted in shopper.text) == is_told


def test_a_pin_that_a_passkey_takes_first_is_not_typed_for_nothing(payment_of, browser):
    """Where there is no JavaScript, what follows it cannot be done."""
    browser.visit(payment_of(5_001, livemode=True).hosted_url)
    browser.send(to="/pay")

    assert browser.path.endswith("/passkey/pin")
    assert "This amount is confirmed with a passkey, which needs JavaScript." in browser.text
