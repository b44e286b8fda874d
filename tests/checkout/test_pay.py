"""A customer pays, form by form, without JavaScript."""

import pytest

from core.clock import utc_now
from customers.services import wallet
from ledger.services import balance_of
from payments.statuses import PaymentStatus
from tests.checkout.shopper import Shopper, signed_in_at
from tests.factories import PaymentFactory
from webhooks.models import Event

pytestmark = pytest.mark.django_db


def test_it_pays_a_small_sum_with_two_presses(payment_of):
    payment = payment_of(150)
    shopper = signed_in_at(payment)

    assert shopper.path == f"/checkout/{payment.id}"
    payment.refresh_from_db()
    assert payment.status == PaymentStatus.PENDING

    shopper.send(to="/pay")

    payment.refresh_from_db()
    assert payment.status == PaymentStatus.COMPLETED
    assert "<h1>Paid</h1>" in shopper.text
    assert payment.transaction_id in shopper.text


def test_it_asks_for_the_pin_above_two_dollars(payment_of):
    payment = payment_of(1250)
    shopper = signed_in_at(payment)

    assert shopper.path == f"/checkout/{payment.id}/pin"
    payment.refresh_from_db()
    assert payment.status == PaymentStatus.REQUIRES_ACTION

    shopper.send(pin="12 34")

    payment.refresh_from_db()
    assert payment.status == PaymentStatus.COMPLETED
    assert payment.customer.phone == "+12425550100"
    moves = [(move.from_status, move.to_status) for move in payment.transitions.order_by("id")]
    assert moves == [
        ("created", "pending"),
        ("pending", "requires_action"),
        ("requires_action", "processing"),
        ("processing", "completed"),
    ]
    assert balance_of(wallet(payment.customer, "BSD")) == 10_000_000 - 1250
    assert Event.objects.filter(type="payment.completed").count() == 1


def test_a_test_customer_has_money_of_the_currency_of_the_payment(payment_of):
    payment = payment_of(150, currency="USD")
    shopper = signed_in_at(payment)

    shopper.send(to="/pay")

    payment.refresh_from_db()
    assert payment.status == PaymentStatus.COMPLETED
    assert balance_of(wallet(payment.customer, "USD")) == 10_000_000 - 150


def test_it_sends_an_amount_that_needs_a_passkey_to_the_passkey(payment_of):
    payment = payment_of(12500)
    shopper = signed_in_at(payment)

    assert shopper.path == f"/checkout/{payment.id}/passkey/new"
    payment.refresh_from_db()
    assert payment.status == PaymentStatus.REQUIRES_ACTION


def test_a_wrong_pin_leaves_attempts_and_the_fifth_locks_it_but_leaves_the_payment_open(payment_of):
    payment = payment_of(1250)
    shopper = signed_in_at(payment, "+1 (242) 555-0177")

    said = []
    for _ in range(4):
        response = shopper.send(pin="9999")
        said.append(shopper.text.partition("not right. ")[2].partition("<")[0].strip())
        assert response.status_code == 422
        assert "No money has been taken." in shopper.text
        assert "<title>Error: " in shopper.text
        assert 'value="9999"' not in shopper.text
    assert said == ["4 attempts left.", "3 attempts left.", "2 attempts left.", "1 attempt left."]

    shopper.send(pin="9999")

    payment.refresh_from_db()
    assert payment.status == PaymentStatus.PENDING
    assert "<h1>Your PIN is locked</h1>" in shopper.text
    assert "Your PIN is locked until" in shopper.text
    assert "No money has been taken." in shopper.text
    assert 'name="pin"' not in shopper.text
    assert Event.objects.count() == 0


def test_no_balance_is_shown_before_signing_in(payment_of):
    payment = payment_of(1250, livemode=True)
    shopper = Shopper()
    shopper.visit(f"/checkout/{payment.id}/short")

    assert shopper.path == f"/checkout/{payment.id}"
    assert "Your balance" not in shopper.text


@pytest.fixture
def payment_of(merchant):
    return lambda amount, **more: PaymentFactory(merchant=merchant, amount=amount, **more)


@pytest.mark.parametrize("kind", [{"currency": "USD"}, {"amount": 20_000_000}])
def test_a_test_tool_approves_any_payment(payment_of, kind):
    payment = payment_of(**{"amount": 1250} | kind)
    shopper = Shopper()
    shopper.visit(payment.hosted_url)

    shopper.send(to="/simulate", outcome="approve")

    payment.refresh_from_db()
    assert payment.status == "completed"


@pytest.mark.parametrize("outcome", ["expire", "decline", "wrong_pin"])
def test_a_test_tool_ends_a_payment_now_and_calls_it_paid_only_where_it_is(payment_of, outcome):
    """A shop that polls goes by these times: none lies ahead."""
    payment = payment_of(1250)
    shopper = Shopper()
    shopper.visit(payment.hosted_url)

    shopper.send(to="/simulate", outcome=outcome)

    payment.refresh_from_db()
    event = Event.objects.get(type__in=["payment.expired", "payment.failed"])
    assert "paid" not in shopper.path
    assert max(payment.updated_at, event.created_at) <= utc_now()
    assert outcome != "expire" or payment.expires_at == payment.updated_at


def test_the_phone_whose_pins_are_wrong_says_that_the_fifth_locks(payment_of):
    """The lock of this phone, which testers share, is lifted at once: the page said nothing."""
    shopper = signed_in_at(payment_of(1250), "+1 242 555 0102")
    for left in ("4 attempts left.", "3 attempts left.", "2 attempts left.", "1 attempt left."):
        shopper.send(pin="1234")
        assert f"That PIN is not right. {left}" in shopper.text

    assert shopper.send(pin="1234").status_code == 422

    assert "Your PIN is locked until" in shopper.text
    shopper.send(pin="1234")
    assert "That PIN is not right. 4 attempts left." in shopper.text
