"""What a session begins with, and what it replaces."""

from datetime import datetime, timedelta

import pytest

from customers.codes import request_code
from customers.models import CodePurpose, Customer, CustomerSession
from customers.sessions import find_session, sign_in, start_session
from tests.customers.guessing import ADDRESS
from tests.customers.texts import TextBox

pytestmark = pytest.mark.django_db


def test_it_lives_for_twelve_hours(payer: Customer, now: datetime) -> None:
    assert start_session(customer=payer, now=now).session.expires_at == now + timedelta(hours=12)


def test_one_that_cannot_be_opened_ends_no_other(
    payer: Customer, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = start_session(customer=payer, now=now)

    def fail(**_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(CustomerSession.objects, "create", fail)
    with pytest.raises(MemoryError):
        start_session(customer=payer, now=now, replaces=opened.token)

    assert find_session(opened.token, livemode=True, now=now) == opened.session


def test_the_language_of_the_page_is_kept(texts: TextBox, payer: Customer, now: datetime) -> None:
    handle = request_code(
        phone=payer.phone,
        livemode=True,
        purpose=CodePurpose.SIGN_IN,
        address=ADDRESS,
        now=now,
    )

    sign_in(handle=handle, code=texts.code, now=now, language="fr")

    payer.refresh_from_db()
    assert payer.language == "fr"
