"""How long a reset PIN or an added passkey counts as new, and what was paid since."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from pytest_django import Settings

from customers.codes import request_code
from customers.errors import ProofNeeded
from customers.models import CodePurpose, Customer, Passkey
from customers.new_proofs import doubtful_until, is_recent, note_new_proof
from customers.pins import reset_pin, set_pin
from customers.sessions import set_first_pin, start_session
from tests.customers.authenticator import VirtualAuthenticator
from tests.customers.enrolment import PAYMENT, enrol, proven
from tests.customers.guessing import ADDRESS, OTHER_PIN, PIN
from tests.customers.texts import TextBox

DAY, MOMENT = timedelta(hours=24), timedelta(microseconds=1)


@pytest.mark.parametrize(
    ("ago", "recent"), [(timedelta(), True), (DAY - MOMENT, True), (DAY, False)]
)
def test_a_change_is_recent_for_a_day(now: datetime, ago: timedelta, recent: bool) -> None:
    assert is_recent(now - ago, now) is recent


def test_without_a_change_nothing_is_recent(now: datetime) -> None:
    assert not is_recent(None, now)


@pytest.mark.parametrize(
    ("changed", "created", "passkey", "livemode", "doubted"),
    [
        (DAY - MOMENT, DAY, None, True, True),
        (DAY, DAY, None, True, False),
        (timedelta(), DAY - MOMENT, None, True, False),
        (timedelta(), DAY, DAY - MOMENT, True, True),
        (timedelta(), DAY, DAY, True, False),
        (timedelta(), DAY, None, False, False),
    ],
    ids=["new", "a day old", "new customer", "new passkey", "old passkey", "test mode"],
)
def test_a_new_proof_is_doubted_for_a_day(
    payer: Customer,
    now: datetime,
    changed: timedelta,
    created: timedelta,
    passkey: timedelta | None,
    livemode: bool,
    doubted: bool,
    settings: Settings,
) -> None:
    settings.RISK_NEW_PROOF_HOURS = 0  # of what it pays, not of who it is
    if passkey is not None:
        enrol(proven(payer, now), VirtualAuthenticator(), now)
        Passkey.objects.update(created_at=now - passkey)
    payer.proof_changed_at, payer.created_at = now - changed, now - created
    payer.livemode = livemode

    assert doubtful_until(payer, now) == (now - changed + DAY if doubted else None)


def test_without_a_change_nothing_is_doubted(payer: Customer, now: datetime) -> None:
    assert doubtful_until(payer, now + DAY) is None


@pytest.mark.parametrize(("ago", "counted"), [(DAY - MOMENT, 4_000), (DAY, 0)])
def test_what_was_paid_since_a_recent_change_goes_on_counting(
    payer: Customer, now: datetime, ago: timedelta, counted: int
) -> None:
    Customer.objects.update(proof_changed_at=now - ago, new_proof_amount=4_000)

    note_new_proof(payer.pk, now=now)

    payer.refresh_from_db()
    assert (payer.proof_changed_at, payer.new_proof_amount) == (now, counted)


def test_a_first_pin_in_a_later_session_is_a_new_proof(payer: Customer, now: datetime) -> None:
    later = now + MOMENT
    start_session(customer=payer, now=now)  # the customer came with it
    session = start_session(customer=payer, now=later).session

    set_first_pin(session=session, pin=PIN, now=later)

    payer.refresh_from_db()
    assert payer.proof_changed_at == later


def test_a_first_pin_where_the_customer_came_is_none(payer: Customer, now: datetime) -> None:
    session = start_session(customer=payer, now=now).session

    set_first_pin(session=session, pin=PIN, now=now + MOMENT)

    payer.refresh_from_db()
    assert payer.proof_changed_at is None
    session.refresh_from_db()
    assert session.pin_verified_at == now + MOMENT


def test_a_pin_that_a_code_resets_is_one_in_the_session_of_the_first_day_too(
    texts: TextBox, holder: Customer, now: datetime
) -> None:
    came_with = start_session(customer=holder, now=holder.created_at).session
    asked: dict[str, Any] = {"purpose": CodePurpose.RESET_PIN, "address": ADDRESS, "now": now}
    handle = request_code(phone=holder.phone, livemode=True, **asked)

    reset_pin(
        customer_id=holder.pk,
        handle=handle,
        code=texts.code,
        new_pin=OTHER_PIN,
        now=now + MOMENT,
        session_id=came_with.pk,
    )

    holder.refresh_from_db()
    assert holder.proof_changed_at == now + MOMENT


def test_a_code_to_pay_sets_no_first_pin(payer: Customer, now: datetime) -> None:
    came_with = start_session(customer=payer, now=now, payment_id=PAYMENT).session
    later = now + MOMENT
    session = start_session(customer=payer, now=later, payment_id=PAYMENT).session

    with pytest.raises(ProofNeeded):
        set_first_pin(session=session, pin=PIN, now=later)

    assert came_with.has_code_for_payment_only
    set_first_pin(session=came_with, pin=PIN, now=later)


def test_it_is_noted_of_one_customer(payer: Customer, tester: Customer, now: datetime) -> None:
    note_new_proof(payer.pk, now=now)

    tester.refresh_from_db()
    assert tester.proof_changed_at is None


def test_a_first_pin_beside_the_session_of_another_is_a_new_proof(
    payer: Customer, tester: Customer, now: datetime
) -> None:
    session = start_session(customer=tester, now=now).session

    set_pin(customer_id=payer.pk, pin=PIN, now=now, session_id=session.pk)

    payer.refresh_from_db()
    assert payer.proof_changed_at == now
