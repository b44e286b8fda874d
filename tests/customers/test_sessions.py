"""Being signed in: opaque tokens, of one mode, rotated at sign-in, ended by idleness and age."""

from datetime import datetime, timedelta

import pytest

from core.signed_tokens import is_signed_token
from customers.codes import request_code
from customers.errors import CodeExpired, InvalidCode, InvalidPin, PinLocked
from customers.models import CodePurpose, Customer, CustomerSession
from customers.pins import change_pin, reset_pin
from customers.services import freeze, wallet
from customers.sessions import (
    SignedIn,
    end_session,
    find_session,
    prove_phone,
    prove_pin,
    sign_in,
    start_session,
)
from ledger.services import balance_of
from merchants.models import Merchant
from tests.customers.guessing import ADDRESS, HALF_AN_HOUR, OTHER_PIN, PIN, WRONG_PIN, check
from tests.customers.guessing import guess_wrong as guess
from tests.customers.texts import TextBox

pytestmark = pytest.mark.django_db

A_MOMENT = timedelta(milliseconds=1)


def code_for(customer: Customer, purpose: CodePurpose, now: datetime) -> str:
    return request_code(
        phone=customer.phone,
        livemode=customer.livemode,
        purpose=purpose,
        address=ADDRESS,
        now=now,
    )


def signed_in(customer: Customer, now: datetime) -> SignedIn:
    return start_session(customer=customer, now=now)


def session_customer(token: str, *, livemode: bool, now: datetime) -> Customer | None:
    session = find_session(token, livemode=livemode, now=now)
    return session.customer if session else None


def test_a_code_signs_a_new_customer_in(texts: TextBox, now: datetime) -> None:
    handle = request_code(
        phone="+12423591234",
        livemode=True,
        purpose=CodePurpose.SIGN_IN,
        address=ADDRESS,
        now=now,
    )
    assert Customer.objects.count() == 0

    result = sign_in(handle=handle, code=texts.code, now=now)

    customer = Customer.objects.get()
    assert (customer.phone, customer.livemode, customer.has_pin) == ("+12423591234", True, False)
    assert session_customer(result.token, livemode=True, now=now) == customer
    assert result.session.code_verified_at == now
    assert (result.session.pin_verified_at, result.session.passkey_verified_at) == (None, None)


def test_a_code_signs_a_known_customer_in(texts: TextBox, payer: Customer, now: datetime) -> None:
    handle = code_for(payer, CodePurpose.SIGN_IN, now)

    result = sign_in(handle=handle, code=texts.code, now=now)

    assert result.session.customer == payer


def test_a_test_customer_signs_in_with_money(merchant: Merchant, now: datetime) -> None:
    handle = request_code(
        phone="+12425550100",
        livemode=False,
        purpose=CodePurpose.SIGN_IN,
        address=ADDRESS,
        now=now,
    )

    result = sign_in(handle=handle, code="000000", now=now, currency="USD", merchant_id=merchant.id)

    customer = session_customer(result.token, livemode=False, now=now)
    assert customer is not None
    assert balance_of(wallet(customer, "USD")) == 10_000_000


def test_a_wrong_code_signs_no_one_in(texts: TextBox, payer: Customer, now: datetime) -> None:
    handle = code_for(payer, CodePurpose.SIGN_IN, now)

    with pytest.raises(InvalidCode):
        sign_in(handle=handle, code=f"{(int(texts.code) + 1) % 1_000_000:06}", now=now)
    assert CustomerSession.objects.count() == 0


def test_a_code_for_something_else_signs_no_one_in(
    texts: TextBox, payer: Customer, now: datetime
) -> None:
    handle = code_for(payer, CodePurpose.RESET_PIN, now)

    with pytest.raises(CodeExpired):
        sign_in(handle=handle, code=texts.code, now=now)


def test_the_token_is_opaque_and_stored_as_a_hash(payer: Customer, now: datetime) -> None:
    result = signed_in(payer, now)

    assert is_signed_token(result.token)
    stored = [str(value) for value in CustomerSession.objects.values_list().get()]
    assert not [value for value in stored if result.token in value]
    assert result.token not in repr(result)


def test_signing_in_replaces_the_token(payer: Customer, tester: Customer, now: datetime) -> None:
    before = signed_in(payer, now)

    after = start_session(customer=payer, now=now, replaces=before.token)

    assert after.token != before.token
    assert session_customer(before.token, livemode=True, now=now) is None
    assert session_customer(after.token, livemode=True, now=now) == payer


def test_a_token_that_was_planted_opens_nothing(payer: Customer, now: datetime) -> None:
    result = start_session(customer=payer, now=now, replaces="planted by a thief")

    assert session_customer("planted by a thief", livemode=True, now=now) is None
    assert result.token != "planted by a thief"


@pytest.mark.parametrize("token", ["", "x", "0" * 43, "\ud800", "é" * 5000])
def test_no_other_token_opens_anything(payer: Customer, now: datetime, token: str) -> None:
    signed_in(payer, now)

    assert find_session(token, livemode=True, now=now) is None


def test_a_session_is_of_one_mode(payer: Customer, tester: Customer, now: datetime) -> None:
    live, test = signed_in(payer, now), signed_in(tester, now)

    assert session_customer(live.token, livemode=False, now=now) is None
    assert session_customer(test.token, livemode=True, now=now) is None


def test_signing_out_ends_it(payer: Customer, now: datetime) -> None:
    phone, laptop = signed_in(payer, now), signed_in(payer, now)

    end_session(phone.token, now=now)
    end_session(phone.token, now=now + A_MOMENT)

    assert session_customer(phone.token, livemode=True, now=now) is None
    assert session_customer(laptop.token, livemode=True, now=now) == payer
    phone.session.refresh_from_db()
    assert phone.session.ended_at == now


def test_one_that_has_ended_keeps_its_instant(payer: Customer, now: datetime) -> None:
    session = signed_in(payer, now)
    end_session(session.token, now=now)

    freeze(customer_id=payer.pk, actor="staff:ada", now=now + A_MOMENT)

    session.session.refresh_from_db()
    assert session.session.ended_at == now


def test_it_ends_when_it_is_left_idle(payer: Customer, now: datetime) -> None:
    token = signed_in(payer, now).token

    assert session_customer(token, livemode=True, now=now + HALF_AN_HOUR) is None
    assert session_customer(token, livemode=True, now=now + HALF_AN_HOUR - A_MOMENT) == payer
    assert session_customer(token, livemode=True, now=now + HALF_AN_HOUR) == payer


def test_it_ends_in_the_end_however_busy(payer: Customer, now: datetime) -> None:
    token = signed_in(payer, now).token
    for minutes in range(0, 12 * 60, 20):
        instant = now + timedelta(minutes=minutes)
        assert session_customer(token, livemode=True, now=instant) == payer

    assert session_customer(token, livemode=True, now=now + timedelta(hours=12)) is None


def test_its_use_is_noted_once_a_minute(payer: Customer, now: datetime) -> None:
    result = signed_in(payer, now)
    for seconds, noted in ((59, 0), (60, 60), (61, 60), (120, 120)):
        find_session(result.token, livemode=True, now=now + timedelta(seconds=seconds))
        result.session.refresh_from_db()
        assert result.session.last_seen_at == now + timedelta(seconds=noted)


def test_it_remembers_when_the_pin_was_right(holder: Customer, now: datetime) -> None:
    session = signed_in(holder, now).session
    later = now + timedelta(minutes=1)

    prove_pin(session=session, pin=PIN, address=ADDRESS, now=later)

    session.refresh_from_db()
    assert session.pin_verified_at == later


def test_it_remembers_nothing_of_a_wrong_pin(holder: Customer, now: datetime) -> None:
    session = signed_in(holder, now).session
    for error in (InvalidPin, InvalidPin, InvalidPin, InvalidPin, PinLocked):
        with pytest.raises(error):
            prove_pin(session=session, pin=WRONG_PIN, address=ADDRESS, now=now)

    session.refresh_from_db()
    assert session.pin_verified_at is None


def test_it_remembers_a_fresh_code(texts: TextBox, payer: Customer, now: datetime) -> None:
    session = signed_in(payer, now).session
    later = now + timedelta(hours=1)
    handle = code_for(payer, CodePurpose.ADD_PASSKEY, later)

    prove_phone(session=session, handle=handle, code=texts.code, now=later)

    session.refresh_from_db()
    assert session.code_verified_at == later


def test_a_code_to_another_phone_proves_nothing(
    texts: TextBox, payer: Customer, tester: Customer, now: datetime
) -> None:
    session = signed_in(payer, now).session
    handle = code_for(tester, CodePurpose.ADD_PASSKEY, now)

    with pytest.raises(CodeExpired):
        prove_phone(session=session, handle=handle, code="000000", now=now)


def reset(
    customer: Customer, handle: str, code: str, now: datetime, session_id: int | None = None
) -> None:
    reset_pin(
        customer_id=customer.id,
        handle=handle,
        code=code,
        new_pin=OTHER_PIN,
        now=now,
        session_id=session_id,
    )


def test_a_code_resets_a_pin_that_is_switched_off(
    texts: TextBox, holder: Customer, now: datetime
) -> None:
    guess(holder, 5, now)
    later = now + HALF_AN_HOUR
    guess(holder, 5, later)

    reset(holder, code_for(holder, CodePurpose.RESET_PIN, later), texts.code, later)

    check(holder, OTHER_PIN, later)
    with pytest.raises(InvalidPin):
        check(holder, PIN, later)


def test_a_reset_needs_a_code_of_its_own(texts: TextBox, holder: Customer, now: datetime) -> None:
    handle = code_for(holder, CodePurpose.SIGN_IN, now)
    with pytest.raises(CodeExpired):
        reset(holder, handle, texts.code, now)

    check(holder, PIN, now)


def test_a_reset_needs_a_code_to_the_customers_phone(
    texts: TextBox, holder: Customer, tester: Customer, now: datetime
) -> None:
    with pytest.raises(CodeExpired):
        reset(holder, code_for(tester, CodePurpose.RESET_PIN, now), "000000", now)

    check(holder, PIN, now)


def test_a_reset_and_a_change_end_the_other_sessions(
    texts: TextBox, holder: Customer, tester: Customer, now: datetime
) -> None:
    mine, theirs, strangers = (signed_in(who, now) for who in (holder, holder, tester))
    handle = code_for(holder, CodePurpose.RESET_PIN, now)
    reset(holder, handle, texts.code, now, mine.session.pk)

    assert session_customer(mine.token, livemode=True, now=now) == holder
    assert session_customer(theirs.token, livemode=True, now=now) is None
    assert session_customer(strangers.token, livemode=False, now=now) == tester

    change_pin(customer_id=holder.id, pin=OTHER_PIN, new_pin=PIN, address=ADDRESS, now=now)
    assert session_customer(mine.token, livemode=True, now=now) is None
