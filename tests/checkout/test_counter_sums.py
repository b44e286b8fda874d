"""A till: the cashier puts sums on the code, customers scan it and pay, with or without a tip."""

import pytest

from payments.models import Payment, Ticket
from payments.statuses import PaymentStatus
from tests.checkout.at_counters import cashier_at, customer_at
from tests.checkout.shopper import Shopper
from tests.nights import ITS_OWN
from tests.payments.counter_sales import counter_of, ticket_on
from tests.payments.journeys import pay_with, payer

pytestmark = pytest.mark.django_db


@pytest.fixture
def counter(merchant):
    return counter_of(merchant)


def test_the_sum_that_the_cashier_types_is_filled_in_for_the_customer(counter):
    cashier = cashier_at(counter)
    assert 'placeholder="B$0.00"' in cashier.text
    cashier.send(amount="12.50")

    customer = customer_at(counter)
    assert ">Pay B$12.50</button>" in customer.text
    customer.send()

    sale = Payment.objects.get(static_payment=counter)
    assert (sale.amount, sale.ticket) == (1_250, Ticket.objects.get())
    assert customer.path == f"{sale.hosted_url}/phone"


@pytest.mark.parametrize(
    "typed", [{}, {"amount": "abc"}, {"amount": "0"}, {"amount": "1000000000"}]
)
def test_it_refuses_what_is_no_sum(counter, typed):
    cashier = cashier_at(counter)

    assert cashier.send(**typed).status_code == 422
    assert "<title>Error: " in cashier.text
    assert not Ticket.objects.exists()


def test_a_double_press_puts_one_sum_on_the_code(counter):
    cashier = cashier_at(counter)
    fields = cashier.form().fields | {"amount": "1.50"}
    for _ in range(3):
        cashier.client.post(cashier.path, fields)

    assert Ticket.objects.count() == 1


def test_of_two_sums_the_customer_picks_one(counter):
    first, second = ticket_on(counter, 700), ticket_on(counter, 900)

    customer = customer_at(counter)
    assert "Which sum is yours?" in customer.text
    customer.visit(f"{counter.hosted_url}?ticket={second.id}")
    customer.send()

    assert Payment.objects.get(static_payment=counter).ticket == second
    customer.visit(f"{counter.hosted_url}?ticket={first.id}")
    assert ">Pay B$7.00</button>" in customer.text


def test_a_form_pays_the_sum_that_it_showed_and_no_other(counter, merchant):
    shown = ticket_on(counter, 700)
    customer = customer_at(counter)
    other = Shopper()
    other.visit(counter.hosted_url)
    other.send()
    pay_with(Payment.objects.get(ticket=shown).id, payer(merchant))
    ticket_on(counter, 99_900)

    customer.send()

    assert "That sum is no longer open" in customer.text
    assert "or has waited too long. No money has been taken just now." in customer.text
    assert Payment.objects.filter(static_payment=counter).get().ticket == shown


def test_the_customer_may_pay_another_amount(counter):
    ticket_on(counter)
    customer = customer_at(counter)
    customer.visit(f"{counter.hosted_url}?ticket=own")
    customer.send(amount="3.00")

    sale = Payment.objects.get(static_payment=counter)
    assert (sale.amount, sale.ticket) == (300, None)


@pytest.mark.parametrize(
    ("chosen", "other", "tip"),
    [("0", "", None), ("15", "", 188), ("other", "2.00", 200), ("other", "12.50", 1_250)],
)
def test_a_tip_is_shown_apart_before_it_is_paid(merchant, chosen, other, tip):
    counter = counter_of(merchant, tips_allowed=True)
    ticket_on(counter)
    customer = customer_at(counter)
    assert "15% · B$1.88" in customer.text
    assert customer.text.count('placeholder="B$0.00"') == 1  # of another tip

    customer.send(tip=chosen, other_tip=other)

    sale = Payment.objects.get(static_payment=counter)
    assert (sale.amount, sale.tip) == (1_250 + (tip or 0), tip)
    assert customer.path == sale.hosted_url
    assert ("<dt>Tip</dt>" in customer.text) == bool(tip)


@pytest.mark.parametrize("typed", ["", "-1", "abc", "12.51"])
def test_it_refuses_what_is_no_tip_and_keeps_it(merchant, typed):
    counter = counter_of(merchant, tips_allowed=True)
    ticket_on(counter)
    customer = customer_at(counter)

    assert customer.send(tip="other", other_tip=typed).status_code == 422
    assert "Enter a tip of up to B$12.50." in customer.text
    assert customer.form().fields["other_tip"] == typed
    assert not Payment.objects.filter(static_payment=counter).exists()


def test_a_tip_goes_with_an_amount_of_the_customers_own(merchant):
    counter = counter_of(merchant, tips_allowed=True)
    customer = customer_at(counter)
    customer.send(amount="10.00", tip="20", other_tip="")

    sale = Payment.objects.get(static_payment=counter)
    assert (sale.amount, sale.tip) == (1_200, 200)


def test_no_tip_is_asked_for_where_none_is_taken(counter):
    ticket_on(counter)
    customer = customer_at(counter)
    assert "tip" not in customer.form().fields

    customer.send(tip="20", other_tip="")

    assert Payment.objects.get(static_payment=counter).tip is None


def test_at_the_till_no_one_pays_by_tomorrow(counter):
    customer = customer_at(counter)
    customer.send(amount="3.00")

    assert "Pay by" not in customer.text


def test_a_sum_that_is_taken_off_is_gone_for_the_customer(counter):
    ticket = ticket_on(counter)
    customer, cashier = customer_at(counter), cashier_at(counter)
    customer.send()

    cashier.client.post(cashier.path, cashier.form().fields | {"withdraw": ticket.id})

    sale = Payment.objects.get(static_payment=counter)
    assert sale.status == PaymentStatus.CANCELED
    customer.visit(sale.hosted_url)
    assert "This sum is no longer open" in customer.text
    assert "<strong>Nothing has been paid with this phone.</strong>" in customer.text


@pytest.mark.each_on_postgres(ITS_OWN)
def test_every_page_of_who_has_paid_the_sum_says_that_it_is_paid(counter):
    ticket = ticket_on(counter, 150)
    customer = customer_at(counter)
    customer.send()
    left = Payment.objects.get(static_payment=counter)
    customer.visit(counter.hosted_url)
    customer.send()
    customer.send(phone="+1 242 555 0100")
    customer.send(code="000000")
    customer.send(to="/pay")
    paid = Payment.objects.exclude(pk=left.id).get(static_payment=counter)

    for path in (left.hosted_url, f"{counter.hosted_url}?ticket={ticket.id}"):
        customer.visit(path)
        assert customer.path == f"/receipts/{paid.id}"
        other = Shopper()
        other.visit(path)
        assert "no longer open" in other.text


@pytest.mark.parametrize("named", ["tkt_unknown", "%00", "x" * 300])
def test_a_ticket_that_is_none_is_not_looked_for(counter, named):
    customer = Shopper()

    assert customer.visit(f"{counter.hosted_url}?ticket={named}").status_code == 200
    assert "That sum is no longer open" in customer.text


def test_the_screen_shows_the_day(merchant):
    counter = counter_of(merchant, tips_allowed=True)
    for tip in ("0", "20"):
        ticket_on(counter, 1_000)
        customer = customer_at(counter)
        customer.send(tip=tip, other_tip="")
        pay_with(Payment.objects.latest("created_at").id, payer(merchant))

    cashier = cashier_at(counter)
    assert '<dt>Today</dt><dd class="num">B$22.00</dd>' in cashier.text
    assert '<dt>Payments</dt><dd class="num">2</dd>' in cashier.text
    assert '<dt>Of that, tips</dt><dd class="num">B$2.00</dd>' in cashier.text


def test_a_stranger_puts_nothing_on_the_code(counter, merchant):
    cashier = cashier_at(counter)
    fields = cashier.form().fields | {"amount": "12.50"}
    for token in ("x" * 43, ""):
        path = f"/counter/{counter.id}/{token}"
        assert cashier.client.post(path, fields).status_code == 404

    assert not Ticket.objects.exists()


def test_the_screen_of_one_counter_takes_nothing_off_another(counter, merchant, payment_of):
    ticket = ticket_on(counter)
    other = payment_of(None, payment_mode="STATIC_PAY", expires_at=None)
    cashier = cashier_at(other)

    cashier.client.post(cashier.path, cashier.form().fields | {"withdraw": ticket.id})

    ticket.refresh_from_db()
    assert ticket.withdrawn_at is None


def test_a_counter_with_a_fixed_amount_has_no_keys(merchant):
    cashier = cashier_at(counter_of(merchant, amount=500))

    assert "Put a sum on the code" not in cashier.text
