"""Where a form of staff begins: typing needs no click first."""

import re

import pytest

from backoffice.resource.page_urls import address_of
from backoffice.roles import Role
from merchants.models import Merchant
from payments.models import Payment
from tests.backoffice.conftest import Office
from tests.backoffice.rows import paid_payment, scheduled_payout

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


def test_what_warns_above_the_field_with_the_focus_describes_it(
    office: Office, merchant: Merchant
) -> None:
    """The page began below the warning, so that those who hear it did not."""
    paid = paid_payment(merchant, 20_000)
    scheduled_payout(merchant)  # leaves nothing to refund from
    form = address_of(Payment, "act", paid.pk, "refund")

    html = office(Role.SUPPORT).get(form).content.decode()

    field = re.search(r"<input\b[^>]*\bautofocus\b[^>]*>", html)
    assert field
    assert 'aria-describedby="bo-warnings' in field[0]
    above = html.partition('<div id="bo-warnings">')[2].partition("<form")[0]
    assert "bo-refused" in above
