"""A refused form redirects to its page, which says once what was wrong; no PIN is kept."""

import re

import pytest
from django.test import Client

from checkout.refused_forms import REFUSED_COOKIE
from checkout.views.account import DONE
from core.clock import utc_now
from core.ids import new_id
from customers.models import Customer
from merchants.models import Merchant
from tests.checkout.shopper import Shopper, signed_in_at
from tests.nights import ITS_OWN
from tests.refunds.refunding import sell


def at_the_pin(payment_of) -> Shopper:
    shopper = signed_in_at(payment_of(1_250), "+1 242 555 0177")
    assert shopper.path.endswith("/pin")
    return shopper


def post(shopper: Shopper, **values: str):
    """Send the form of the page without following the redirect."""
    return shopper.client.post(shopper.path, shopper.form().fields | values)


def test_it_redirects_to_the_page_and_says_once_what_was_wrong(payment_of):
    shopper = Shopper()
    shopper.visit(f"{payment_of(150).hosted_url}/phone")
    answer = post(shopper, phone="12 34")
    assert (answer.status_code, answer["Location"]) == (303, shopper.path)

    shopper.visit(shopper.path)
    assert "Enter a mobile number with its country code" in shopper.text
    assert 'value="12 34"' in shopper.text
    assert "<title>Error: " in shopper.text

    shopper.visit(shopper.path)
    assert shopper.response.status_code == 200
    assert "Enter a mobile number with its country code" not in shopper.text


def test_reading_the_page_again_counts_no_wrong_pin(payment_of):
    shopper = at_the_pin(payment_of)
    shopper.send(pin="9999")
    assert "4 attempts left." in shopper.text
    shopper.visit(shopper.path)

    assert Customer.objects.get().pin_failures == 1


def test_no_pin_is_kept(payment_of):
    shopper = at_the_pin(payment_of)
    answer = post(shopper, pin="9753")
    kept = answer.cookies[REFUSED_COOKIE]
    assert kept["httponly"]
    assert "9753" not in kept.value
    shopper.visit(shopper.path)

    assert "9753" not in shopper.text


def test_it_says_nothing_on_another_page(payment_of):
    shopper = at_the_pin(payment_of)
    post(shopper, pin="9999")
    shopper.visit(f"{payment_of(150).hosted_url}/phone")

    assert "There is a problem" not in shopper.text


def test_a_forged_cookie_says_nothing(payment):
    client = Client()
    client.cookies[REFUSED_COOKIE] = "eyJhdCI6Ii8ifQ:forged:signature"
    page = client.get(f"{payment.hosted_url}/phone")

    assert page.status_code == 200
    assert b"There is a problem" not in page.content


@pytest.mark.parametrize(
    ("shown", "form"), [({}, "/pay"), ({"payment_mode": "STATIC_PAY", "expires_at": None}, "")]
)
def test_a_suspended_merchant_has_no_page_with_a_button_to_pay(payment_of, merchant, shown, form):
    shopper = Shopper()
    payment = payment_of(150, **shown)
    before = merchant.status
    shopper.visit(payment.hosted_url)
    Merchant.objects.update(status="suspended")

    for ask in (lambda: shopper.send(to=form), lambda: shopper.visit(payment.hosted_url)):
        assert ask().status_code == 422
        assert "<h1>You cannot pay here at the moment</h1>" in shopper.text
        assert "</button>" not in shopper.text
        assert "Continue with the payment" not in shopper.text

    Merchant.objects.update(status=before)
    assert "</button>" in shopper.visit(payment.hosted_url).content.decode()


@pytest.mark.parametrize(
    ("cookies", "title", "advice"),
    [
        ({"csrf": "x" * 32}, "This page was open too long", "Open it again, and try once more."),
        ({}, "Your browser sent no cookie", "Allow cookies for this site in your browser"),
    ],
    ids=["old", "no cookie"],
)
def test_a_form_without_its_token_goes_on_with_its_payment(payment, cookies, title, advice):
    """A browser that keeps no cookies was told each time that the page had been open too long."""
    client = Client(enforce_csrf_checks=True)
    client.cookies.load(cookies)

    page = client.post(f"{payment.hosted_url}/pay").content.decode()

    assert title in page
    assert advice in page
    assert "No money has been taken." in page
    assert f'href="{payment.hosted_url}">Continue with the payment</a>' in page
    assert f'data-instead="{payment.hosted_url}"' in page


def test_an_address_below_a_payment_goes_on_with_it(payment):
    shopper = Shopper()
    response = shopper.visit(f"{payment.hosted_url}/nothing")

    assert response.status_code == 404
    assert f'href="{payment.hosted_url}">Continue with the payment</a>' in shopper.text


@pytest.mark.each_on_postgres(ITS_OWN)
def test_a_mistyped_address_goes_on_with_the_payment_that_a_code_was_sent_for(payment):
    shopper = Shopper()
    shopper.visit(f"{payment.hosted_url}/phone")
    shopper.send(phone="+1 242 555 0100")
    shopper.visit(f"/checkout/{new_id('pay', utc_now())}")

    assert f'href="{payment.hosted_url}">Continue with the payment</a>' in shopper.text


def test_an_unknown_payment_offers_none(db):
    shopper = Shopper()
    shopper.visit(f"/checkout/{new_id('pay', utc_now())}")

    assert "Continue with the payment" not in shopper.text


@pytest.mark.parametrize(
    ("path", "leads_to"),
    [
        ("/counter/{pay}/token", "/counter/{pay}/token"),
        ("/pay/shop/link_1?lang=es", "/pay/shop/link_1?lang=es"),
        ("/receipts/{pay}", "/receipts/{pay}"),
        ("/account/sign-out", "/account"),
        ("/account/sign-out?test=1", "/account?test=1"),
    ],
)
def test_an_old_page_that_is_on_the_way_to_no_payment_is_opened_anew(payment, path, leads_to):
    address = path.format(pay=payment.id)
    page = Client(enforce_csrf_checks=True).post(address).content.decode()

    assert "Your browser sent no cookie" in page or "ninguna cookie" in page
    assert re.search(rf'href="{re.escape(leads_to.format(pay=payment.id))}">(Try|Intentar)', page)


@pytest.mark.parametrize(("path", "untaken"), [("/checkout/{pay}/pay", 1), ("/receipts/{pay}", 0)])
def test_an_old_page_denies_that_money_was_taken_only_before_it_is(payment, path, untaken):
    page = Client(enforce_csrf_checks=True).post(path.format(pay=payment.id)).content.decode()

    assert "For your safety, nothing was done." in page
    assert page.count("No money has been taken.") == untaken


@pytest.mark.parametrize("path", ["/top-ups/top_cut/off", "/not-me/cut/off"])
def test_an_address_that_was_cut_off_is_answered_by_a_page(db, path):
    response = Client().get(path)

    assert response.status_code == 404
    assert "We cannot find this page" in response.content.decode()


@pytest.mark.parametrize("what", DONE)
def test_a_link_does_not_have_the_account_say_that_something_was_done(browser, what):
    """Who calls next as the fraud desk had shown the customer that the PIN was changed."""
    browser.visit(f"/account?done={what}")

    assert browser.path.startswith("/account?")
    assert str(DONE[what]) not in browser.text


@pytest.mark.parametrize(
    ("path", "mark"), [("", "mailed"), ("/problem", "reported"), ("/problem", "told")]
)
def test_a_link_does_not_have_a_receipt_say_that_something_was_sent(merchant, path, mark):
    shopper = Shopper()
    shopper.visit(f"/receipts/{sell(merchant, 1_250).id}{path}?{mark}=1")

    assert shopper.response.status_code == 200
    assert '<p class="note"' not in shopper.text


def test_what_was_done_is_said_once(merchant):
    shopper = Shopper()
    shopper.visit(f"/receipts/{sell(merchant, 1_250).id}")
    shopper.send(to=shopper.path, email="ann@example.com")
    assert "The receipt is on its way to your inbox." in shopper.text

    shopper.visit(shopper.path)
    assert "The receipt is on its way to your inbox." not in shopper.text
