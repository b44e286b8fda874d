"""Someone signs in while the same code is used elsewhere, or while two of staff erase them."""

from datetime import datetime
from typing import Any

import pytest

from customers import codes
from customers.codes import check_code, request_code
from customers.erasure import erase_customer
from customers.errors import CodeExpired
from customers.models import CodePurpose, Customer, SignInCode
from customers.sessions import find_session, sign_in
from tests.customers.guessing import ADDRESS
from tests.customers.texts import TextBox, ask

pytestmark = pytest.mark.django_db


def test_a_code_that_is_used_while_it_is_checked_is_not_good_again(
    texts: TextBox, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    handle, is_code = ask(now), codes._is_code

    def used_meanwhile(*asked: Any) -> bool:
        SignInCode.objects.update(used_at=now)
        return is_code(*asked)

    monkeypatch.setattr(codes, "_is_code", used_meanwhile)

    with pytest.raises(CodeExpired):
        check_code(handle=handle, code=texts.code, purpose=CodePurpose.SIGN_IN, now=now)


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
