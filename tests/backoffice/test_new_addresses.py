"""An e-mail address that a thief of the number may have given answers no question of staff."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.test import Client

from backoffice.roles import Role
from core.clock import utc_now
from customers.account_changes import AccountChange, record_change
from customers.models import Customer
from customers.security_alerts import stop_link
from merchants.models import Merchant
from payments.models import Payment
from tests.backoffice.acting import act, address, page_of_act
from tests.backoffice.conftest import Office
from tests.backoffice.rows import paid_payment

pytestmark = pytest.mark.django_db
ANSWERS = {"amount": "12.50", "email": "pat@example.com"}
DAY = timedelta(days=1)


@pytest.fixture
def customer(merchant: Merchant) -> Customer:
    """A customer who has paid 12.50, two months ago, and whose PIN is locked."""
    customer = paid_payment(merchant).paying_customer
    Payment.objects.update(completed_at=utc_now() - 60 * DAY)
    Customer.objects.update(
        pin_failures=5, pin_locked_until=utc_now() + timedelta(minutes=30), email="pat@example.com"
    )
    customer.refresh_from_db()
    return customer


def set_email(customer: Customer, ago: timedelta) -> None:
    record_change(
        customer.pk,
        AccountChange.EMAIL_SET,
        actor=f"customer:{customer.pk}",
        now=utc_now() - ago,
    )


@pytest.mark.parametrize(("ago", "status"), [(DAY / 2, 422), (2 * DAY, 302)])
def test_one_of_today_unlocks_no_pin(
    office: Office, customer: Customer, ago: timedelta, status: int
) -> None:
    set_email(customer, ago)

    assert act(office(Role.SUPPORT), customer, "unlock-pin", **ANSWERS).status_code == status


@pytest.mark.parametrize(("ago", "status"), [(20 * DAY, 422), (40 * DAY, 302)])
def test_one_that_can_still_be_denied_lets_no_one_pay_again(
    office: Office, customer: Customer, ago: timedelta, status: int
) -> None:
    """Set by the thief some days before the owner found out, and froze the wallet by a link."""
    set_email(customer, ago)
    Client().post(stop_link(customer.id).removeprefix(settings.CHECKOUT_URL))

    shown = office(Role.FINANCE).get(page_of_act(customer, "unfreeze")).content.decode()
    assert ("e-mail address, confirmed" in shown) is (status == 422)
    answer = act(
        office(Role.FINANCE, "finance2"), customer, "unfreeze", reason="Phone found", **ANSWERS
    )
    assert answer.status_code == status


def test_staff_see_the_address_masked_and_when_it_came(office: Office, customer: Customer) -> None:
    set_email(customer, DAY)

    page = office(Role.SUPPORT).get(address(Customer, "change", customer.pk)).content.decode()

    assert "p•••@example.com" in page
    assert "pat@example.com" not in page
    assert "E-mail address confirmed" in page


@pytest.mark.parametrize(("ago", "left"), [(20 * DAY, ""), (40 * DAY, "pat@example.com")])
def test_a_stolen_account_loses_one_that_may_be_the_thiefs(
    office: Office, customer: Customer, ago: timedelta, left: str
) -> None:
    set_email(customer, ago)
    act(office(Role.SUPPORT), customer, "stolen", reason="Phone stolen")

    customer.refresh_from_db()
    assert customer.email == left
    page = office(Role.SUPPORT, "other").get(address(Customer, "change", customer.pk))
    assert ("E-mail address removed" in page.content.decode()) is (left == "")
