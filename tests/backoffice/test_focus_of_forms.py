"""Where a form of staff begins: typing needs no click first."""

import re

import pytest

from backoffice.resource.page_urls import address_of
from backoffice.roles import Role
from merchants.models import Merchant
from payments.models import Payment
from tests.backoffice.conftest import Office
from tests.backoffice.rows import paid_payment

pytestmark = pytest.mark.django_db


def focused(html: str) -> list[str]:
    """Return the names of the fields with the focus."""
    tags = re.findall(r"<(?:input|select|textarea)\b[^>]*\bautofocus\b[^>]*>", html)
    return [name for tag in tags for name in re.findall(r'\bname="(\w+)"', tag)]


def test_a_form_begins_in_its_first_field(office: Office, merchant: Merchant) -> None:
    form = address_of(Payment, "act", paid_payment(merchant).pk, "refund")

    assert focused(office(Role.SUPPORT).get(form).content.decode()) == ["amount"]


def test_a_refused_form_begins_in_the_field_to_correct(office: Office, merchant: Merchant) -> None:
    form = address_of(Payment, "act", paid_payment(merchant).pk, "refund")

    refused = office(Role.SUPPORT).post(form, {"form_key": "k" * 22, "amount": "5.00"})

    assert refused.status_code == 422
    assert focused(refused.content.decode()) == ["reason"]


def test_what_describes_a_field_is_on_the_page(office: Office, merchant: Merchant) -> None:
    """A screen reader told that the field with the focus was invalid, and not why."""
    form = address_of(Payment, "act", paid_payment(merchant).pk, "refund")

    html = office(Role.SUPPORT).post(form, {"form_key": "k" * 22, "amount": "x"}).content.decode()

    named = {
        name for names in re.findall(r'aria-describedby="([^"]+)"', html) for name in names.split()
    }
    assert {"id_amount_error", "id_reason_error", "id_reason_helptext"} <= named
    assert named <= {*re.findall(r'\bid="([^"]+)"', html)}
