"""POST /checkout/<id>/pay with a PIN: who is signed in enters it on the review."""

import pytest

from core.clock import utc_now
from customers.models import Customer
from customers.services import find_or_create
from ledger.models import Transfer
from payments.statuses import PaymentStatus
from tests.checkout.shopper import Shopper
from tests.checkout.thefts import PIN

pytestmark = pytest.mark.django_db
FIELD = 'id="id_pin"'


@pytest.fixture
def payment(payment_of):
    """A live payment that needs a PIN."""
    return payment_of(1_250, livemode=True)


@pytest.fixture
def review(browser, payment) -> Shopper:
    """The review of a customer who has a PIN, and is signed in."""
    browser.visit(payment.hosted_url)
    return browser


def test_it_pays_by_one_press(review, payment):
    assert FIELD in review.text
    assert "Forgot your PIN?" in review.text
    review.send(to="/pay", pin=PIN)

    payment.refresh_from_db()
    assert "<h1>Paid</h1>" in review.text
    assert payment.status == PaymentStatus.COMPLETED
    moves = [move.to_status for move in payment.transitions.order_by("id")]
    assert moves == ["pending", "requires_action", "processing", "completed"]


def test_a_wrong_one_is_counted_once_and_told_on_its_page(review, payment):
    refused = review.send(to="/pay", pin="9999")

    assert (refused.status_code, review.path) == (422, f"{payment.hosted_url}/pin")
    assert "That PIN is not right. 4 attempts left." in review.text
    assert Customer.objects.get().pin_failures == 1
    review.send(pin=PIN)
    assert "<h1>Paid</h1>" in review.text


def test_what_is_no_pin_is_told_there_too(review, payment):
    assert review.send(to="/pay", pin="12ab").status_code == 422

    assert review.path == f"{payment.hosted_url}/pin"
    assert "A PIN has 4 to 6 digits." in review.text
    assert Customer.objects.get().pin_failures == 0


def test_left_empty_pay_leads_to_the_page_of_the_pin(review, payment):
    assert review.send(to="/pay").status_code == 200

    assert review.path == f"{payment.hosted_url}/pin"
    assert "<h1>Enter your PIN</h1>" in review.text


def test_a_pin_for_what_needs_a_passkey_pays_nothing(browser, payment_of):
    large = payment_of(12_500, livemode=True)
    browser.visit(large.hosted_url)
    assert FIELD not in browser.text
    browser.send(to="/pay", pin=PIN)

    assert browser.path.startswith(f"{large.hosted_url}/passkey")
    assert not Transfer.objects.filter(kind="payment").exists()


@pytest.mark.parametrize("amount", [150, 1_000_001])
def test_no_field_where_none_is_needed_or_the_money_is_missing(browser, payment_of, amount):
    browser.visit(payment_of(amount, livemode=True).hosted_url)

    assert FIELD not in browser.text


def test_no_field_while_the_pin_is_locked(browser, payment):
    Customer.objects.update(pin_failures=10)
    browser.visit(payment.hosted_url)

    assert FIELD not in browser.text
    browser.send(to="/pay")
    assert "<h1>Your PIN is locked</h1>" in browser.text


def test_a_stranger_sees_no_field_and_pays_nothing(payment):
    find_or_create(phone="+12423591235", now=utc_now())
    stranger = Shopper()
    stranger.visit(payment.hosted_url)
    assert FIELD not in stranger.text
    stranger.send(to="/pay", pin=PIN)

    assert stranger.path == f"{payment.hosted_url}/phone?signed-out=1"
    payment.refresh_from_db()
    assert payment.status == PaymentStatus.CREATED
