"""The PIN: counted before it is checked, locked after five wrong ones, off after ten."""

from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.db import transaction
from pytest_django import Settings

from core.clock import utc_now
from core.errors import ServiceUnavailable, ValidationFailed
from core.models import Quota
from customers import pin_hashing
from customers.errors import InvalidPin, PinDisabled, PinLocked, PinNotSet
from customers.models import Customer
from customers.pin_hashing import Hasher, hashing_slot
from customers.pins import change_pin, check_pin, replace_pin, set_pin
from customers.services import find_or_create, test_customer
from merchants.models import Merchant
from tests.customers.guessing import (
    ADDRESS,
    HALF_AN_HOUR,
    OTHER_PIN,
    PIN,
    WRONG_PIN,
    check,
    guess_wrong,
)
from tests.races import at_once

pytestmark = pytest.mark.django_db


def test_it_accepts_the_pin(holder: Customer, now: datetime) -> None:
    check(holder, PIN, now)

    holder.refresh_from_db()
    assert (holder.pin_failures, holder.pin_locked_until, holder.pin_set_at) == (0, None, now)


def test_it_is_stored_as_argon2id_under_the_pepper(
    thorough_pins: None, holder: Customer, now: datetime, settings: Settings
) -> None:
    holder.refresh_from_db()
    assert holder.pin_hash.startswith("$argon2id$v=19$m=19456,t=2,p=1$")

    settings.PIN_PEPPER = "another pepper"
    assert not Hasher().matches(holder.pin_hash, PIN, "")


def test_a_wrong_pin_says_how_many_attempts_are_left(holder: Customer, now: datetime) -> None:
    for left in (4, 3, 2, 1):
        error = guess_wrong(holder, 1, now)
        assert isinstance(error, InvalidPin)
        assert error.attempts_left == left
        assert (error.status, error.code) == (422, "INVALID_PIN")


def test_the_right_pin_starts_the_count_afresh(holder: Customer, now: datetime) -> None:
    guess_wrong(holder, 4, now)
    check(holder, PIN, now)

    error = guess_wrong(holder, 1, now)

    assert isinstance(error, InvalidPin)
    assert error.attempts_left == 4


def test_five_wrong_ones_lock_it_for_half_an_hour(
    holder: Customer, now: datetime, hashes: list[str]
) -> None:
    error = guess_wrong(holder, 5, now)

    assert isinstance(error, PinLocked)
    assert not isinstance(error, PinDisabled)
    assert (error.status, error.code, error.until) == (422, "PIN_LOCKED", now + HALF_AN_HOUR)
    with pytest.raises(PinLocked) as refusal:
        check(holder, PIN, now + HALF_AN_HOUR - timedelta(milliseconds=1))
    assert refusal.value.until == now + HALF_AN_HOUR
    assert len(hashes) == 5

    check(holder, PIN, now + HALF_AN_HOUR)


def test_ten_wrong_ones_switch_it_off(holder: Customer, now: datetime, hashes: list[str]) -> None:
    guess_wrong(holder, 5, now)
    later = now + HALF_AN_HOUR
    for left in (4, 3, 2, 1):
        error = guess_wrong(holder, 1, later)
        assert isinstance(error, InvalidPin)
        assert error.attempts_left == left

    assert isinstance(guess_wrong(holder, 1, later), PinDisabled)

    with pytest.raises(PinDisabled):
        check(holder, PIN, now + timedelta(days=365))
    assert len(hashes) == 10


def test_an_attempt_is_on_record_before_it_is_checked(
    holder: Customer, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(self: Hasher, stored: str, pin: str, pepper_id: str) -> bool:
        raise MemoryError

    monkeypatch.setattr(Hasher, "matches", die)
    with pytest.raises(MemoryError):
        check(holder, PIN, now)

    holder.refresh_from_db()
    assert holder.pin_failures == 1


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_64_guesses_at_once_are_at_most_five(hashes: list[str]) -> None:
    now = utc_now()
    customer = find_or_create(phone="+12423591234", now=now)
    set_pin(customer_id=customer.id, pin=PIN, now=now)

    answers = at_once(
        [partial(check, customer, WRONG_PIN, now, f"203.0.113.{n}") for n in range(64)]
    )

    assert len(hashes) == 5
    assert sum(isinstance(answer, InvalidPin) for answer in answers) == 4
    assert sum(isinstance(answer, PinLocked) for answer in answers) == 60
    customer.refresh_from_db()
    assert (customer.pin_failures, customer.pin_locked_until) == (5, now + HALF_AN_HOUR)


def test_at_most_four_are_hashed_at_once() -> None:
    with ExitStack() as places:
        for _ in range(4):
            assert pin_hashing._slots.acquire(blocking=False)
            places.callback(pin_hashing._slots.release)

        assert not pin_hashing._slots.acquire(blocking=False)


def test_where_there_is_no_place_to_hash_no_try_is_lost(
    holder: Customer, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pin_hashing, "WAIT_SECONDS", 0)
    with ExitStack() as places:
        for _ in range(4):
            places.enter_context(hashing_slot())
        with pytest.raises(ServiceUnavailable):
            check(holder, WRONG_PIN, now)

    holder.refresh_from_db()
    assert holder.pin_failures == 0
    check(holder, PIN, now)


@pytest.mark.parametrize("call", ["check", "set", "change", "replace"])
def test_nothing_is_hashed_inside_a_transaction(
    holder: Customer, now: datetime, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Hasher, "columns", pytest.fail)
    monkeypatch.setattr(Hasher, "matches", pytest.fail)
    pin: dict[str, Any] = {"customer_id": holder.id, "pin": PIN, "now": now}
    calls: dict[str, Callable[[], object]] = {
        "check": partial(check_pin, **pin, address=ADDRESS),
        "set": partial(set_pin, **pin),
        "change": partial(change_pin, **pin, new_pin=OTHER_PIN, address=ADDRESS),
        "replace": partial(replace_pin, holder, OTHER_PIN, now=now),
    }

    with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
        calls[call]()


def test_an_unknown_customer_is_a_wrong_pin_and_takes_as_long(
    db: None, now: datetime, hashes: list[str]
) -> None:
    with pytest.raises(InvalidPin) as refusal:
        check_pin(customer_id="cus_none", pin=PIN, address=ADDRESS, now=now)

    assert refusal.value.attempts_left == 4
    assert hashes == [PIN]


@pytest.mark.parametrize("pin", ["", "123", "1234567", "12a4", "١٢٣٤"])
def test_what_is_no_pin_costs_no_attempt(holder: Customer, now: datetime, pin: str) -> None:
    with pytest.raises(ValidationFailed):
        check(holder, pin, now)

    holder.refresh_from_db()
    assert holder.pin_failures == 0


def test_a_customer_without_a_pin_has_none_to_guess(payer: Customer, now: datetime) -> None:
    with pytest.raises(PinNotSet):
        check(payer, PIN, now)

    payer.refresh_from_db()
    assert payer.pin_failures == 0
    assert set(Quota.objects.values_list("used", flat=True)) == {0}


def test_a_test_customer_has_the_documented_pin(tester: Customer, now: datetime) -> None:
    check(tester, "1234", now)

    tester.refresh_from_db()
    assert tester.pin_hash.startswith("$argon2id$")
    check(tester, "1234", now)
    with pytest.raises(InvalidPin):
        check(tester, PIN, now)


def test_a_pin_that_a_tester_chooses_meanwhile_is_not_replaced_by_it(
    tester: Customer, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = Hasher.columns

    def chosen_meanwhile(self: Hasher, pin: str) -> dict[str, str]:
        Customer.objects.filter(pk=tester.pk).update(**columns(self, PIN))
        return columns(self, pin)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(Hasher, "columns", chosen_meanwhile)
        with pytest.raises(InvalidPin):
            check(tester, "1234", now)

    check(tester, PIN, now)


def test_a_test_customer_locks_like_a_live_one(tester: Customer, now: datetime) -> None:
    assert isinstance(guess_wrong(tester, 5, now), PinLocked)
    with pytest.raises(PinLocked):
        check(tester, "1234", now)


def test_the_magic_phone_whose_pins_are_wrong_locks_and_starts_again(
    merchant: Merchant, now: datetime
) -> None:
    customer = test_customer("+12425550102", now, merchant_id=merchant.id)
    for _ in range(3):
        for left in (4, 3, 2, 1):
            with pytest.raises(InvalidPin) as refusal:
                check(customer, "1234", now)
            assert refusal.value.attempts_left == left
        with pytest.raises(PinLocked) as locked:
            check(customer, "1234", now)
        assert locked.value.until == now + HALF_AN_HOUR


def test_the_magic_phone_whose_pin_is_locked(
    merchant: Merchant, now: datetime, hashes: list[str]
) -> None:
    customer = test_customer("+12425550106", now, merchant_id=merchant.id)
    for _ in range(12):
        with pytest.raises(PinLocked) as refusal:
            check(customer, "1234", now)
        assert refusal.value.until == now + HALF_AN_HOUR
    assert hashes == []


def test_a_pin_that_is_replaced_while_it_is_checked_does_not_count(
    holder: Customer, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    def replaced_meanwhile(self: Hasher, stored: str, pin: str, pepper_id: str) -> bool:
        Customer.objects.filter(pk=holder.pk).update(pin_hash="another")
        return True

    monkeypatch.setattr(Hasher, "matches", replaced_meanwhile)

    with pytest.raises(InvalidPin):
        check(holder, PIN, now)

    holder.refresh_from_db()
    assert holder.pin_failures == 1
