"""What callers must know: the sum of a payment, and its shop by a word of its own or an address."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.test import Client

from backoffice.audit import LET_PAY, PROVEN, UNLOCK
from backoffice.roles import Role
from backoffice.services.instruction_kinds import REMOVE_PASSKEY, TASKS, UNFREEZE
from backoffice.services.merchant_names import is_named
from core.clock import utc_now
from customers.models import Customer
from customers.security_alerts import stop_link
from merchants.models import Merchant
from payments.models import Payment
from tests.backoffice.acting import act, page_of_act
from tests.backoffice.conftest import Office
from tests.backoffice.rows import paid_payment

EMAIL = "pat@example.com"
ASKED = ("Amount of a payment in", "The merchant of that payment", "e-mail address on file")


@pytest.fixture
def frozen(merchant: Merchant) -> Customer:
    """A customer who paid 25.00 to the Reef Shop 40 days ago, and has just stopped the wallet."""
    Merchant.objects.filter(pk=merchant.pk).update(name="The Reef Shop Ltd.")
    customer = paid_payment(merchant, 2_500).paying_customer
    Payment.objects.update(completed_at=utc_now() - timedelta(days=40))
    Customer.objects.filter(pk=customer.pk).update(email=EMAIL)
    Client().post(stop_link(customer.pk).removeprefix(settings.CHECKOUT_URL))
    return customer


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("answers", "is_right"),
    [
        ({"email": EMAIL, "merchant": "sho"}, False),
        ({"email": EMAIL, "merchant": "The Reef Shop Ltd."}, False),
        ({"email": EMAIL, "merchant": "Reef", "amount": "24.00"}, False),
        ({"merchant": "the shop", "amount": "25.00"}, False),
        ({"merchant": "Reef", "amount": "25.00"}, True),
        ({"email": EMAIL, "amount": "25.00"}, True),
    ],
)
def test_a_stopped_wallet_takes_the_sum_of_a_payment(
    office: Office, frozen: Customer, answers: dict[str, str], is_right: bool
) -> None:
    act(office(Role.FINANCE), frozen, "unfreeze", reason="Phone found", **answers)

    assert (Customer.objects.get(pk=frozen.pk).frozen_at is None) is is_right


@pytest.mark.django_db
def test_the_form_says_what_counts(office: Office, frozen: Customer) -> None:
    page = office(Role.FINANCE).get(page_of_act(frozen, "unfreeze")).content.decode()

    assert "The amount must be right, and beside it the merchant (a word of its own" in page
    assert all(label in page for label in ASKED)


@pytest.mark.django_db
def test_the_form_asks_for_no_answer_that_does_not_count(office: Office, frozen: Customer) -> None:
    long_ago = utc_now() - timedelta(days=91)
    Payment.objects.update(created_at=long_ago, completed_at=long_ago)

    page = office(Role.FINANCE).get(page_of_act(frozen, "unfreeze")).content.decode()

    assert not any(label in page for label in ASKED)


def test_an_act_by_two_is_counted_and_compared_by_its_title() -> None:
    by_two = {TASKS[task].title.lower() for task in (REMOVE_PASSKEY, UNFREEZE)}

    assert {*PROVEN} == {UNLOCK, LET_PAY, *by_two}


@pytest.mark.parametrize(
    ("name", "said", "is_right"),
    [
        ("Reef Bakery Ltd", "reef", True),
        ("Reef Bakery Ltd", "the Reef bakery in Nassau", True),
        ("Reef Bakery Ltd", "ree", False),
        ("Reef Bakery Ltd", "Ltd", False),
        ("Reef Bakery Ltd", "reef coral island", False),
        ("Joe\u2019s Grill", "Joe's", True),
        ("Café Matisse", "café", False),
        ("Cafe Matisse", "the café Matïsse", True),
        ("Pâtisserie Lune", "patisserie", True),
        ("Pa\u0302tisserie Lune", "pâtisserie", True),
        ("The Shop", "the shop", True),
        ("The Shop", "Reef", False),
        ("B & W", "b&w", True),
        ("B & W", "", False),
    ],
)
def test_a_merchant_is_named_by_words_of_its_own(name: str, said: str, is_right: bool) -> None:
    assert is_named(name, said) is is_right
