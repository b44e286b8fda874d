"""A code is in its owner's language: who asks for it must not choose words they cannot read."""

import pytest

from core.clock import utc_now
from customers.models import Customer
from customers.services import find_or_create, test_customer
from tests.checkout.shopper import Shopper
from tests.checkout.thefts import PHONE
from tests.customers.texts import TextBox
from tests.factories import PaymentFactory

pytestmark = pytest.mark.django_db
SAYS = {
    "en": "is your code to pay B$900.00 to Conch Shack.",
    "fr": "pour payer 900,00 B$ à Conch Shack.",
    "ht": "se kòd ou pou peye 900,00 B$ bay Conch Shack.",
}


@pytest.fixture
def asked(merchant, texts: TextBox):
    """What the page of a large payment, read in Haitian, has texted to a number.

    There is the customer of another number, and one of tests, who read Spanish.
    """
    find_or_create(phone="+12423595678", now=utc_now())
    test_customer(PHONE, utc_now(), merchant_id=merchant.pk)
    Customer.objects.update(language="es")

    def ask() -> str:
        merchant.name = "Conch Shack"
        merchant.save(update_fields=["name"])
        payment = PaymentFactory(merchant=merchant, amount=90_000, livemode=True)
        thief = Shopper()
        thief.visit(f"/checkout/{payment.id}/phone?lang=ht")
        thief.send(phone=PHONE)
        assert thief.path == f"/checkout/{payment.id}/code"
        return texts.texts[-1].replace("\u00a0", " ")

    return ask


@pytest.mark.parametrize(("language", "read"), [("en", "en"), ("fr", "fr"), ("", "en")])
def test_a_thief_has_an_owner_told_in_the_owners_language(asked, language, read):
    """Amount and advice, too. Who has none is written to in that of all other messages."""
    owner = find_or_create(phone=PHONE, now=utc_now())
    Customer.objects.filter(pk=owner.pk).update(language=language)

    assert SAYS[read] in asked()


def test_a_newcomer_is_told_in_the_language_of_the_page(asked):
    assert SAYS["ht"] in asked()


def test_one_for_a_new_pin_does_so(own, texts):
    Customer.objects.update(language="es")
    own.visit("/account/pin/forgotten?lang=ht")
    own.client.post(own.path, own.form().fields | {"again": "1"})

    assert "es su código para un PIN nuevo en Payments." in texts.texts[-1]
