"""What a customer's earlier payments ask of the next one, to the cent and to the instant."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from core.clock import utc_now
from customers.errors import NewProofLimitReached, VerificationFailed
from customers.models import Customer
from customers.services import find_or_create
from customers.sessions import end_session, start_session
from merchants.errors import MerchantInactive
from merchants.models import Merchant
from payments.risk import (
    count_payment,
    pays_with_new_proof,
    refuse_above_new_proof_limit,
    required_for_customer,
)
from payments.verification import Verification
from tests.factories import MerchantFactory

NONE, PIN, PASSKEY = Verification.NONE, Verification.PIN, Verification.PASSKEY
DAY, HOUR, SECOND = timedelta(hours=24), timedelta(hours=1), timedelta(seconds=1)


@pytest.fixture
def now() -> datetime:
    return utc_now()


def customer(**counted: Any) -> Customer:
    return Customer(livemode=True, phone="+12423591234", **counted)


@pytest.mark.parametrize(
    ("payments", "spent", "amount", "needed"),
    [(4, 0, 200, NONE), (5, 0, 200, PIN), (0, 1_800, 200, NONE), (0, 1_801, 200, PIN)],
)
def test_small_payments_without_proof_add_up(
    now: datetime, payments: int, spent: int, amount: int, needed: Verification
) -> None:
    payer = customer(unproven_payments=payments, unproven_amount=spent)

    assert required_for_customer(payer, amount, now=now) == needed


@pytest.mark.parametrize(
    ("ago", "paid", "amount", "needed"),
    [
        (DAY - SECOND, 6_000, 4_000, PIN),
        (DAY - SECOND, 6_000, 4_001, PASSKEY),
        (DAY + SECOND, 6_000, 4_001, PIN),
        (DAY + SECOND, 10_000, 5_000, PIN),
    ],
)
def test_payments_by_pin_add_up_for_a_day(
    now: datetime, ago: timedelta, paid: int, amount: int, needed: Verification
) -> None:
    payer = customer(paid_by_pin=f"{int((now - ago).timestamp())}:{paid}")

    assert required_for_customer(payer, amount, now=now) == needed


@pytest.mark.django_db
def test_no_24_hours_have_more_payments_by_pin_than_the_limit(now: datetime) -> None:
    """A day that begins with its first payment would have a thief pay twice around its end."""
    payer = find_or_create(phone="+12423591234", now=now - DAY)

    count_payment(payer, 300, PIN, payee_id="", now=now)
    for _ in range(2):
        count_payment(payer, 4_850, PIN, payee_id="", now=now + DAY - SECOND)
    assert required_for_customer(payer, 300, now=now + DAY - SECOND) == PASSKEY

    payer.refresh_from_db()
    later = now + DAY + SECOND
    assert required_for_customer(payer, 300, now=later) == PIN
    assert required_for_customer(payer, 301, now=later) == PASSKEY
    assert required_for_customer(payer, 5_000, now=later + DAY) == PIN


@pytest.mark.django_db
def test_a_day_by_pin_is_not_shorter_by_the_fraction_of_a_second(now: datetime) -> None:
    payer, second = find_or_create(phone="+12423591234", now=now), now.replace(microsecond=0)

    count_payment(payer, 5_000, PIN, payee_id="", now=second + 0.9 * SECOND)

    assert required_for_customer(payer, 5_001, now=second + DAY + 0.1 * SECOND) == PASSKEY


@pytest.mark.django_db
def test_payments_of_one_hour_are_kept_as_one(now: datetime) -> None:
    payer, hour = find_or_create(phone="+12423591234", now=now), now.replace(minute=0, second=0)

    for minutes in (0, 30, 59, 60):
        count_payment(payer, 250, PIN, payee_id="", now=hour + minutes * HOUR / 60)

    started = int(hour.timestamp())
    assert payer.paid_by_pin == f"{started + 59 * 60}:750 {started + 3_600}:250"


def test_a_new_proof_pays_up_to_its_limit(now: datetime) -> None:
    payer = customer(proof_changed_at=now, new_proof_amount=1_000)

    refuse_above_new_proof_limit(payer, 4_000, now=now)
    with pytest.raises(NewProofLimitReached):
        refuse_above_new_proof_limit(payer, 4_001, now=now)
    foreseen = [pays_with_new_proof(payer, amount, now=now) for amount in (4_000, 4_001)]
    assert foreseen == [True, False]


def test_an_old_proof_has_no_limit(now: datetime) -> None:
    payer = customer(proof_changed_at=now - DAY, new_proof_amount=5_000)

    refuse_above_new_proof_limit(payer, 1_000_000, now=now)


@pytest.mark.django_db
def test_what_is_counted_is_kept_with_when(now: datetime) -> None:
    payer = find_or_create(phone="+12423591234", now=now - DAY)

    count_payment(payer, 200, NONE, payee_id="", now=now - DAY)
    payer.refresh_from_db()
    assert (payer.unproven_payments, payer.unproven_amount) == (1, 200)

    count_payment(payer, 300, PIN, payee_id="", now=now)
    payer.refresh_from_db()
    assert (payer.unproven_payments, payer.unproven_amount) == (0, 0)
    assert payer.paid_by_pin == f"{int(now.timestamp())}:300"
    assert (payer.new_proof_amount, payer.updated_at) == (500, now)


@pytest.mark.django_db
def test_what_needs_more_proof_is_not_counted(now: datetime) -> None:
    payer = find_or_create(phone="+12423591234", now=now)

    with pytest.raises(VerificationFailed):
        count_payment(payer, 300, NONE, payee_id="", now=now)

    payer.refresh_from_db()
    assert (payer.unproven_amount, payer.new_proof_amount) == (0, 0)


@pytest.mark.django_db
def test_nothing_is_counted_once_the_payee_is_suspended(merchant: Merchant, now: datetime) -> None:
    payer = find_or_create(phone="+12423591234", now=now)
    MerchantFactory(status="suspended")  # another one, which stops nothing
    count_payment(payer, 100, NONE, payee_id=merchant.id, now=now)
    Merchant.objects.filter(pk=merchant.pk).update(status="suspended")

    with pytest.raises(MerchantInactive):
        count_payment(payer, 100, NONE, payee_id=merchant.id, now=now)

    payer.refresh_from_db()
    assert (payer.unproven_payments, payer.unproven_amount) == (1, 100)


@pytest.mark.django_db
def test_nothing_is_counted_once_the_session_that_pays_has_ended(
    merchant: Merchant, now: datetime
) -> None:
    payer = find_or_create(phone="+12423591234", now=now)
    lost, own = (start_session(customer=payer, now=now) for _ in range(2))
    end_session(lost.token, now=now)
    count_payment(payer, 100, NONE, payee_id=merchant.id, session_id=own.session.pk, now=now)

    with pytest.raises(VerificationFailed):
        count_payment(payer, 100, NONE, payee_id=merchant.id, session_id=lost.session.pk, now=now)

    payer.refresh_from_db()
    assert (payer.unproven_payments, payer.unproven_amount) == (1, 100)
