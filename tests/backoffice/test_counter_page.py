"""The page about a counter, at which customers make payments of their own."""

import pytest

from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from merchants.models import Merchant
from payments.modes import PaymentMode
from payments.numbers import number_of
from tests.backoffice.conftest import Office
from tests.backoffice.rows import paid_payment
from tests.factories import PaymentFactory
from tests.payments.counter_sales import counter_of

pytestmark = pytest.mark.django_db


def test_a_counter_is_named_by_its_merchant(office: Office, merchant: Merchant) -> None:
    counter = counter_of(merchant)

    page = office(Role.SUPPORT).get(f"/admin/payments/payment/{counter.pk}/change/")

    assert f"Counter of {merchant.name}" in page.content.decode()


def test_a_counter_lists_its_payments_and_only_what_is_paid_has_a_receipt(
    office: Office, merchant: Merchant
) -> None:
    counter = counter_of(merchant)
    there = paid_payment(
        merchant, payment_mode=PaymentMode.STATIC_PAY, static_payment=counter, expires_at=None
    )
    browser = office(Role.SUPPORT)
    of_counter, of_payment, unpaid = (
        browser.get(page_of(row)).content.decode()
        for row in (counter, there, PaymentFactory(merchant=merchant))
    )

    assert page_of(there) in of_counter
    assert f"counter={counter.pk}&amp;mode=test" in of_counter
    assert number_of(there.pk) in of_payment
    assert "Receipt number" not in of_counter + unpaid
