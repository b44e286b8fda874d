"""Figures of a list stand one above the other, and their heading above them."""

import re

import pytest

from backoffice.roles import Role
from merchants.models import Merchant
from tests.backoffice.conftest import Office
from tests.backoffice.rows import paid_payment

pytestmark = pytest.mark.django_db
PAYMENTS = "/admin/payments/payment/"


def test_a_heading_stands_above_figures_where_they_are_aligned(
    office: Office, merchant: Merchant
) -> None:
    paid_payment(merchant)
    url = f"{PAYMENTS}?mode=test&columns=amount,fee,status"
    page = office(Role.FINANCE).get(url).content.decode()

    cells = re.findall(r'<t[hd] class="[^"]*field-(\w+)[^>]*>(.*?)</t[hd]>', page, re.DOTALL)
    figures = {name for name, content in cells if "bo-amount" in content}
    assert figures == set(re.findall(r"column-(\w+) bo-figures", page)) == {"amount", "fee"}
