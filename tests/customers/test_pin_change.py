"""Setting, changing and unlocking a PIN."""

from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from django.db import transaction

from core.errors import Conflict, ValidationFailed
from customers import pins
from customers.codes import request_code
from customers.errors import (
    CustomerFrozen,
    CustomerNotFound,
    InvalidPin,
    PinAlreadySet,
    PinDisabled,
    PinLocked,
    ProofMethod,
    ProofNeeded,
)
from customers.models import FRESH, CodePurpose, Customer, CustomerSession
from customers.pin_locks import unlock_pin
from customers.pins import change_pin, replace_pin, reset_pin, set_pin
from customers.sessions import remember_proof
from tests.customers.authenticator import VirtualAuthenticator
from tests.customers.guessing import (
    ADDRESS,
    HALF_AN_HOUR,
    OTHER_PIN,
    PIN,
    WRONG_PIN,
    check,
    guess_wrong,
)
from tests.customers.texts import TextBox
from tests.factories import PasskeyFactory

pytestmark = pytest.mark.django_db
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)


def test_a_first_pin_is_set_once(payer: Customer, now: datetime) -> None:
    set_pin(customer_id=payer.id, pin=PIN, now=now)

    with pytest.raises(PinAlreadySet) as refusal:
        set_pin(customer_id=payer.id, pin=OTHER_PIN, now=now)

    assert (refusal.value.status, refusal.value.code) == (409, "CONFLICT")
    check(payer, PIN, now)


def test_a_test_customer_has_a_pin_already(tester: Customer, now: datetime) -> None:
    with pytest.raises(PinAlreadySet):
        set_pin(customer_id=tester.id, pin=PIN, now=now)


@pytest.mark.parametrize("pin", ["1111", "3591", "123"])
def test_a_first_pin_must_be_fit(payer: Customer, now: datetime, pin: str) -> None:
    with pytest.raises(ValidationFailed):
        set_pin(customer_id=payer.id, pin=pin, now=now)

    payer.refresh_from_db()
    assert payer.pin_hash == ""


def test_an_unknown_customer_gets_no_pin(db: None, now: datetime) -> None:
    with pytest.raises(CustomerNotFound):
        set_pin(customer_id="cus_none", pin=PIN, now=now)


def change(customer: Customer, pin: str, new_pin: str, now: datetime) -> None:
    change_pin(customer_id=customer.id, pin=pin, new_pin=new_pin, address=ADDRESS, now=now)


def test_a_customer_who_knows_the_pin_may_change_it(holder: Customer, now: datetime) -> None:
    change(holder, PIN, OTHER_PIN, now)

    check(holder, OTHER_PIN, now)
    with pytest.raises(InvalidPin):
        check(holder, PIN, now)


def test_a_change_needs_the_pin_and_counts_wrong_ones(holder: Customer, now: datetime) -> None:
    for error in (InvalidPin, InvalidPin, InvalidPin, InvalidPin, PinLocked, PinLocked):
        with pytest.raises(error):
            change(holder, WRONG_PIN, OTHER_PIN, now)

    check(holder, PIN, now + HALF_AN_HOUR)


def test_a_change_to_an_obvious_pin_is_refused_before_anything(
    holder: Customer, now: datetime
) -> None:
    with pytest.raises(ValidationFailed):
        change(holder, WRONG_PIN, "0000", now)

    holder.refresh_from_db()
    assert holder.pin_failures == 0


def test_a_reset_to_an_obvious_pin_is_refused_before_the_code_is_looked_at(
    holder: Customer, now: datetime
) -> None:
    with pytest.raises(ValidationFailed):
        reset_pin(customer_id=holder.id, handle="none", code="000000", new_pin="0000", now=now)


def test_a_replacement_that_could_be_undone_is_refused(holder: Customer, now: datetime) -> None:
    with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
        replace_pin(holder, OTHER_PIN, now=now)


def test_a_replacement_whose_notice_cannot_be_planned_changes_nothing(
    holder: Customer, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(pins, "plan_notice", fail)
    holder.refresh_from_db()

    with pytest.raises(MemoryError):
        replace_pin(holder, OTHER_PIN, now=now)

    check(holder, PIN, now)


def test_a_test_customer_may_choose_another_pin(tester: Customer, now: datetime) -> None:
    change(tester, "1234", PIN, now)

    check(tester, PIN, now)
    with pytest.raises(InvalidPin):
        check(tester, "1234", now)


def test_a_pin_that_was_replaced_meanwhile_is_not_overwritten(
    holder: Customer, now: datetime
) -> None:
    holder.refresh_from_db()
    replace_pin(holder, OTHER_PIN, now=now)

    with pytest.raises(Conflict):
        replace_pin(holder, WRONG_PIN, now=now)

    check(holder, OTHER_PIN, now)


def test_staff_lift_a_lock(holder: Customer, now: datetime) -> None:
    guess_wrong(holder, 5, now)

    unlock_pin(customer_id=holder.id, now=now)

    check(holder, PIN, now)


def test_staff_cannot_switch_a_pin_on_again(holder: Customer, now: datetime) -> None:
    guess_wrong(holder, 5, now)
    guess_wrong(holder, 5, now + HALF_AN_HOUR)

    with pytest.raises(PinDisabled):
        unlock_pin(customer_id=holder.id, now=now)

    holder.refresh_from_db()
    assert holder.pin_failures == 10


def test_a_frozen_customer_gets_no_pin(holder: Customer, now: datetime) -> None:
    Customer.objects.update(frozen_at=now)

    with pytest.raises(CustomerFrozen):
        replace_pin(holder, OTHER_PIN, now=now)


def test_where_there_is_a_passkey_it_is_shown_before_a_pin_is_set(
    texts: TextBox, session: CustomerSession, device: VirtualAuthenticator, now: datetime
) -> None:
    customer = session.customer
    handle = request_code(
        phone=customer.phone,
        livemode=True,
        purpose=CodePurpose.RESET_PIN,
        address=ADDRESS,
        now=now,
    )
    who: dict[str, Any] = {"customer_id": customer.pk, "now": now, "session_id": session.pk}
    reset: dict[str, Any] = {"handle": handle, "code": texts.code, "new_pin": OTHER_PIN}
    for refused in (partial(set_pin, pin=PIN, **who), partial(reset_pin, **reset, **who)):
        with pytest.raises(ProofNeeded, match="passkey"):
            refused()
    assert Customer.objects.get(pk=customer.pk).pin_hash == ""

    remember_proof(session, ProofMethod.PASSKEY, now=now)
    with pytest.raises(ProofNeeded, match="passkey"):
        set_pin(pin=PIN, **who | {"session_id": None})
    set_pin(pin=PIN, **who)
    reset_pin(**reset, **who)
    check(customer, OTHER_PIN, now)


def test_a_passkey_that_was_added_meanwhile_is_asked_for(
    holder: Customer, session: CustomerSession, device: VirtualAuthenticator, now: datetime
) -> None:
    """As if its owner had added it while a thief's reset by a code waited for the lock."""
    for shown_at in (None, now - FRESH):
        CustomerSession.objects.filter(pk=session.pk).update(passkey_verified_at=shown_at)
        with pytest.raises(Conflict):
            replace_pin(holder, OTHER_PIN, now=now, session_id=session.pk, is_new_proof=True)
    check(holder, PIN, now)

    remember_proof(session, ProofMethod.PASSKEY, now=now)
    replace_pin(holder, OTHER_PIN, now=now, session_id=session.pk, is_new_proof=True)
    check(holder, OTHER_PIN, now)


@pytest.mark.parametrize(
    ("passkey", "is_new_proof"), [({"removed_at": LONG_AGO}, True), ({}, False)]
)
def test_a_passkey_is_not_asked_for_if_it_was_removed_or_the_pin_was_shown(
    holder: Customer, passkey: dict[str, datetime], is_new_proof: bool, now: datetime
) -> None:
    PasskeyFactory(customer=holder, **passkey)

    replace_pin(holder, OTHER_PIN, now=now, is_new_proof=is_new_proof)

    check(holder, OTHER_PIN, now)


def test_testers_share_a_phone_and_are_asked_for_no_passkey(
    tester: Customer, now: datetime
) -> None:
    PasskeyFactory(customer=tester)

    replace_pin(tester, OTHER_PIN, now=now, is_new_proof=True)

    check(tester, OTHER_PIN, now)
