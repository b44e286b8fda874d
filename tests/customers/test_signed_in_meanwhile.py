"""No session opens for a customer who is frozen or erased while their code is checked."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

import pytest

from customers import sessions
from customers.codes import request_code
from customers.erasure import erase_customer
from customers.errors import CustomerFrozen
from customers.models import CodePurpose, Customer, CustomerSession
from customers.services import find_or_create, freeze, unfreeze
from customers.sessions import find_session, set_message_language, sign_in, start_session
from tests.customers.guessing import ADDRESS
from tests.customers.texts import TextBox

pytestmark = pytest.mark.django_db
STAFF = "staff:ada"

Ends = Callable[..., Customer]
_erase = partial(erase_customer, actor=STAFF, cause="")


@pytest.mark.parametrize("ends", [partial(freeze, actor=STAFF), _erase])
def test_a_thief_who_signs_in_just_then_is_not_signed_in(
    texts: TextBox, payer: Customer, now: datetime, monkeypatch: pytest.MonkeyPatch, ends: Ends
) -> None:
    """The session was opened all the same, and came to life with the next unfreezing."""
    asked = {"phone": payer.phone, "livemode": True, "purpose": CodePurpose.SIGN_IN}
    handle = request_code(**asked, address=ADDRESS, now=now)  # type: ignore[arg-type]  # mixed

    def read_before(**wanted: Any) -> Customer:
        customer = find_or_create(**wanted)
        ends(customer_id=customer.pk, now=now)
        return customer

    monkeypatch.setattr(sessions, "find_or_create", read_before)
    with pytest.raises(CustomerFrozen):
        sign_in(handle=handle, code=texts.code, now=now, language="fr")

    assert not CustomerSession.objects.filter(ended_at=None).exists()


def test_one_from_before_a_freeze_stays_ended(payer: Customer, now: datetime) -> None:
    opened = start_session(customer=payer, now=now)
    freeze(customer_id=payer.pk, actor=STAFF, now=now)
    unfreeze(customer_id=payer.pk, actor=STAFF, now=now)

    assert find_session(opened.token, livemode=True, now=now) is None


def test_an_erased_customer_gets_no_language(payer: Customer, now: datetime) -> None:
    """The database refused it: 500 for the customer, and the row in the log."""
    session = start_session(customer=payer, now=now).session
    _erase(customer_id=payer.pk, now=now)

    set_message_language(session, "fr", now=now)

    assert Customer.objects.get(pk=payer.pk).language == ""
