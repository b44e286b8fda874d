"""Someone who signs in while two of staff erase them: the row stays nameless, and nothing fails."""

from datetime import datetime

import pytest

from customers.codes import request_code
from customers.erasure import erase_customer
from customers.models import CodePurpose, Customer
from customers.sessions import find_session, sign_in
from tests.customers.guessing import ADDRESS
from tests.customers.texts import TextBox

pytestmark = pytest.mark.django_db


def test_an_erased_customer_gets_no_language(
    texts: TextBox, payer: Customer, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A constraint refused it: 500 for the customer, and a copy of the row in the log."""
    handle = request_code(
        phone=payer.phone, livemode=True, purpose=CodePurpose.SIGN_IN, address=ADDRESS, now=now
    )
    refuse = Customer.refuse_frozen

    def erased_meanwhile(customer: Customer) -> None:
        refuse(customer)
        erase_customer(customer_id=customer.pk, actor="staff:ada", cause="", now=now)

    monkeypatch.setattr(Customer, "refuse_frozen", erased_meanwhile)
    signed_in = sign_in(handle=handle, code=texts.code, now=now, language="fr")

    assert Customer.objects.get(pk=payer.pk).language == ""
    assert find_session(signed_in.token, livemode=True, now=now) is None
