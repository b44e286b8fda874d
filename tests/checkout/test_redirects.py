"""Where a customer is sent at the end: only where the merchant said, and only to the web."""

from datetime import timedelta

import pytest

from checkout.redirects import return_url
from core.clock import utc_now
from customers.services import test_customer
from payments.models import Payment
from payments.paying import pay
from payments.verification import Verification
from tests.checkout.shopper import Shopper, signed_in_at

EVIL = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "file:///etc/passwd",
    "ftp://shop.example/",
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "https:\\\\evil.example",
    "https://shop.example@evil.example/",
    "https://user:secret@shop.example/",
    "https://shop.example\\@evil.example/",
    "https://shop.example/\tpath",
    "https://shop.example/\npath",
    "java\nscript:alert(1)",
    " https://shop.example/",
    "https://shop.example/\x00",
    "https://",
    "https:///path",
    "http://[::1",
    "https://shop.example:0/",
    "https://shop.example:99999/",
    "https://" + "x" * 5_000,
    "https://\u202eelpmaxe.pohs/",
    "",
]


@pytest.mark.parametrize("url", EVIL)
def test_it_goes_nowhere_that_is_no_plain_web_address(url):
    assert return_url(url, "pay_1") == ""


@pytest.mark.parametrize(
    ("url", "goes_to"),
    [
        ("https://shop.example/ok", "https://shop.example/ok?payment_id=pay_1"),
        ("https://shop.example/ok?a=1&b=", "https://shop.example/ok?a=1&b=&payment_id=pay_1"),
        ("https://shop.example/ok#part", "https://shop.example/ok?payment_id=pay_1#part"),
        ("https://shop.example/{PAYMENT_ID}/ok", "https://shop.example/pay_1/ok"),
        ("https://shop.example/?p={PAYMENT_ID}", "https://shop.example/?p=pay_1"),
        ("https://shop.example/?p=%7BPAYMENT_ID%7D", "https://shop.example/?p=pay_1"),
        ("https://shop.example/%7bPAYMENT_ID%7d/ok", "https://shop.example/pay_1/ok"),
        ("http://localhost:3000/", "http://localhost:3000/?payment_id=pay_1"),
        ("https://münchen.example/", "https://münchen.example/?payment_id=pay_1"),
    ],
)
def test_it_puts_the_payment_into_the_address(url, goes_to):
    assert return_url(url, "pay_1") == goes_to


@pytest.mark.parametrize("url", [url for url in EVIL if "\x00" not in url])
def test_a_page_never_links_to_it_however_it_got_into_the_row(payment_of, url):
    canceled = payment_of(150, status="canceled", canceled_at=utc_now(), cancel_url=url[:2_048])
    shopper = Shopper()
    shopper.visit(canceled.hosted_url)

    assert "evil.example" not in shopper.text
    assert "Return to" not in shopper.text


def test_the_paid_page_says_where_it_leads_and_waits_for_no_one(payment_of):
    payment = payment_of(150, success_url="https://shop.example/ok?a=1")
    customer = test_customer(None, utc_now(), merchant_id=payment.merchant_id)
    pay(
        payment_id=payment.id,
        customer=customer,
        verified=Verification.NONE,
        actor="test",
        now=utc_now(),
    )
    shopper = Shopper()
    response = shopper.visit(f"{payment.hosted_url}?paid=1")

    assert response.status_code == 200
    assert f'href="https://shop.example/ok?a=1&amp;payment_id={payment.id}"' in shopper.text
    assert "Taking you to shop.example in 10 seconds." in shopper.text


def test_an_address_that_was_kept_leads_to_no_shop(payment_of):
    payment = payment_of(150, success_url="https://shop.example/ok")
    shopper = signed_in_at(payment)
    shopper.send(to="/pay")
    Payment.objects.update(completed_at=utc_now() - timedelta(hours=1))

    shopper.visit(f"{payment.hosted_url}?paid=1")
    assert "data-go=" not in shopper.text
    assert "can see that you have paid" not in shopper.text
