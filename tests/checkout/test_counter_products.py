"""Products at a till: what the cashier saw beside a quantity is what is put on the code."""

import pytest

from payments.models import Payment, Ticket, Till
from tests.checkout.at_counters import cashier_at, customer_at
from tests.payments.counter_sales import counter_of

pytestmark = pytest.mark.django_db
BEER = {"name": "Beer", "price": 500, "currency": "BSD"}
WINE = {"name": "Champagne", "price": 50_000, "currency": "BSD"}
SHIRT = {"name": "Tee shirt", "price": 2_000, "currency": "USD"}
CHANGED = "The products or their prices have changed. Check what you have picked."


@pytest.fixture
def counter(merchant):
    return counter_of(merchant)


def offer(*products):
    Till.objects.update(products=list(products))


def picked(cashier, *quantities):
    """Return the fields of these quantities, in the order of the products on the screen."""
    fields = [name for name in cashier.form().fields if name.startswith("quantity")]
    return dict(zip(fields, quantities, strict=False))


def lines_of(ticket):
    return [(item["quantity"], item["name"], item["price"]) for item in ticket.items]


def test_products_are_picked_and_become_the_items_of_the_sale(counter):
    offer(BEER, WINE, SHIRT)
    cashier = cashier_at(counter)
    assert "Tee shirt" not in cashier.text

    cashier.send(amount="1", **picked(cashier, "1", "2"))
    customer = customer_at(counter)

    assert ">Pay B$1,006.00</button>" in customer.text
    assert "2 × Champagne" in customer.text  # noqa: RUF001
    assert "<dt>Other items</dt><dd>B$1.00</dd>" in customer.text
    customer.send()
    items = Payment.objects.get(static_payment=counter).line_items or []
    assert [(item["name"], item["quantity"]) for item in items] == [("Beer", 1), ("Champagne", 2)]


@pytest.mark.parametrize("quantity", ["100", "-1", "1.5"])
def test_a_number_that_is_none_is_refused_in_the_words_of_the_page(counter, quantity):
    offer(BEER, WINE)
    cashier = cashier_at(counter)

    assert cashier.send(**picked(cashier, "", quantity)).status_code == 422
    assert "Enter a number from 0 to 99." in cashier.text
    assert not Ticket.objects.exists()


def test_products_in_another_order_are_those_that_the_cashier_saw(counter):
    offer(BEER, WINE)
    cashier = cashier_at(counter)
    offer(WINE, BEER)

    cashier.send(**picked(cashier, "2"))

    assert lines_of(Ticket.objects.get()) == [(2, "Beer", 500)]


@pytest.mark.parametrize("now", [{"price": 50_000}, {"name": "Champagne"}, {"currency": "USD"}])
def test_a_product_that_has_changed_is_shown_before_it_is_put_on_the_code(counter, now):
    offer(BEER)
    cashier = cashier_at(counter)
    offer(BEER | now)

    assert cashier.send(amount="1", **picked(cashier, "2")).status_code == 422
    assert cashier.text.count(CHANGED) == 2
    assert not Ticket.objects.exists()
    assert set(picked(cashier, "").values()) <= {""}

    cashier.send()
    assert Ticket.objects.get().amount == 100


def test_what_has_not_changed_stays_picked(counter):
    offer(BEER, WINE)
    cashier = cashier_at(counter)
    offer(BEER, WINE | {"price": 60_000})
    cashier.send(**picked(cashier, "2", "1"))

    fields = cashier.form().fields
    assert [fields[name] for name in picked(cashier, "", "")] == ["2", ""]
    cashier.send(**picked(cashier, "2", "1"))
    assert lines_of(Ticket.objects.get()) == [(2, "Beer", 500), (1, "Champagne", 60_000)]


def test_a_product_that_was_not_picked_may_change(counter):
    offer(BEER, WINE)
    cashier = cashier_at(counter)
    offer(BEER)

    cashier.send(**picked(cashier, "2", ""))

    assert lines_of(Ticket.objects.get()) == [(2, "Beer", 500)]


def test_the_same_product_twice_has_a_quantity_each(counter):
    offer(BEER, BEER)
    cashier = cashier_at(counter)

    cashier.send(**picked(cashier, "1", "2"))

    assert lines_of(Ticket.objects.get()) == [(1, "Beer", 500), (2, "Beer", 500)]


def test_the_form_of_a_screen_from_before_an_upgrade_comes_back(counter):
    offer(BEER)
    cashier = cashier_at(counter)

    assert cashier.send(quantity0="2").status_code == 422
    assert CHANGED in cashier.text
    assert not Ticket.objects.exists()
