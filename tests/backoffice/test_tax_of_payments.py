"""The tax on the page of a payment, as its receipt names it."""

import pytest

from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from merchants.models import Merchant
from tests.backoffice.conftest import Office
from tests.backoffice.rows import paid_payment

pytestmark = pytest.mark.django_db


def test_it_names_the_tax_that_the_receipt_names_and_that_of_each_item(
    office: Office, merchant: Merchant
) -> None:
    items = [
        {"name": "Flat white", "quantity": 2, "price": 450, "tax": 108},
        {"name": "Guava duff", "quantity": 1, "price": 836, "tax": 79},
        {"name": "Water", "quantity": 1, "price": 100},
    ]
    paid = paid_payment(merchant, 1_836, order_id="TAX-1", line_items=items)

    page = office(Role.SUPPORT).get(page_of(paid)).content.decode()

    assert "Tax included" in page
    assert "B$1.87 BSD" in page
    assert "Tax, BSD" in page
    assert all(f">{tax}<" in page for tax in ("1.08", "0.79"))


def test_a_payment_without_tax_names_none(office: Office, merchant: Merchant) -> None:
    items = [{"name": "Flat white", "quantity": 2, "price": 450}]
    paid = paid_payment(merchant, 900, order_id="TAX-2", line_items=items)

    assert "Tax" not in office(Role.SUPPORT).get(page_of(paid)).content.decode()
