"""The PIN: counted before it is checked, locked after five wrong ones, off after ten."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from django.db import transaction

from core.clock import now as read_clock
from core.errors import Conflict, RateLimited, ServiceUnavailable, ValidationFailed
from customers import pin_hashing
from customers.errors import (
    CustomerNotFound,
    InvalidPin,
    PinAlreadySet,
    PinDisabled,
    PinLocked,
    PinNotSet,
)
from customers.models import Customer, Quota
from customers.pin_hashing import Hasher, hashing
from customers.pins import PinResult, change_pin, check_pin, replace_pin, set_pin, unlock_pin
from customers.services import find_or_create, test_customer
from tests.races import at_once

pytestmark = pytest.mark.django_db

ADDRESS = "203.0.113.7"
PIN, OTHER_PIN, WRONG_PIN = "8305", "4920", "7391"
HALF_AN_HOUR = timedelta(minutes=30)


@pytest.fixture
def hashes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was hashed to be compared, in order."""
    seen: list[str] = []
    matches = Hasher.matches

    def spy(self: Hasher, stored: str, pin: str) -> bool:
        seen.append(pin)
        return matches(self, stored, pin)

    monkeypatch.setattr(Hasher, "matches", spy)
    return seen


@pytest.fixture
def holder(payer: Customer, now: datetime) -> Customer:
    set_pin(customer_id=payer.id, pin=PIN, now=now)
    return payer


def check(customer: Customer, pin: str, now: datetime, address: str = ADDRESS) -> PinResult:
    return check_pin(customer_id=customer.id, pin=pin, address=address, now=now)


def guess_wrong(customer: Customer, times: int, now: datetime) -> Exception:
    error: Exception = AssertionError("no guess was made")
    for _ in range(times):
        with pytest.raises((InvalidPin, PinLocked)) as refusal:
            check(customer, WRONG_PIN, now)
        error = refusal.value
    return error


def test_it_accepts_the_pin(holder: Customer, now: datetime) -> None:
    assert check(holder, PIN, now) == PinResult(holder.id, now)

    holder.refresh_from_db()
    assert (holder.pin_failures, holder.pin_locked_until, holder.pin_set_at) == (0, None, now)


def test_it_is_stored_as_argon2id_under_the_pepper(
    holder: Customer, now: datetime, settings: pytest.FixtureRequest
) -> None:
    holder.refresh_from_db()
    assert holder.pin_hash.startswith("$argon2id$v=19$m=19456,t=2,p=1$")

    settings.PIN_PEPPER = "another pepper"  # type: ignore[attr-defined]
    with pytest.raises(InvalidPin):
        check(holder, PIN, now)


def test_a_wrong_pin_says_how_many_tries_are_left(holder: Customer, now: datetime) -> None:
    for left in (4, 3, 2, 1):
        error = guess_wrong(holder, 1, now)
        assert isinstance(error, InvalidPin)
        assert error.tries_left == left
        assert (error.status, error.code) == (422, "INVALID_PIN")


def test_the_right_pin_starts_the_count_afresh(holder: Customer, now: datetime) -> None:
    guess_wrong(holder, 4, now)
    check(holder, PIN, now)

    error = guess_wrong(holder, 1, now)

    assert isinstance(error, InvalidPin)
    assert error.tries_left == 4


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
        assert error.tries_left == left

    assert isinstance(guess_wrong(holder, 1, later), PinDisabled)

    with pytest.raises(PinDisabled):
        check(holder, PIN, now + timedelta(days=365))
    assert len(hashes) == 10


def test_a_try_is_on_record_before_it_is_checked(
    holder: Customer, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(self: Hasher, stored: str, pin: str) -> bool:
        raise MemoryError

    monkeypatch.setattr(Hasher, "matches", die)
    with pytest.raises(MemoryError):
        check(holder, PIN, now)

    holder.refresh_from_db()
    assert holder.pin_failures == 1


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_64_guesses_at_once_are_at_most_five(hashes: list[str]) -> None:
    now = read_clock()
    customer = find_or_create(phone="+12423591234", livemode=True, now=now)
    set_pin(customer_id=customer.id, pin=PIN, now=now)

    answers = at_once(
        [
            lambda address=f"203.0.113.{number}": check(customer, WRONG_PIN, now, address)
            for number in range(64)
        ]
    )

    assert len(hashes) == 5
    assert sum(isinstance(answer, InvalidPin) for answer in answers) == 4
    assert sum(isinstance(answer, PinLocked) for answer in answers) == 60
    customer.refresh_from_db()
    assert (customer.pin_failures, customer.pin_locked_until) == (5, now + HALF_AN_HOUR)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_at_most_four_are_hashed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    now = read_clock()
    running, most = [0], [0]

    def slowly(self: Hasher, stored: str, pin: str) -> bool:
        running[0] += 1
        most[0] = max(most[0], running[0])
        read_clock()
        import time

        time.sleep(0.05)
        running[0] -= 1
        return False

    monkeypatch.setattr(Hasher, "matches", slowly)
    at_once(
        [
            lambda number=number: check_pin(
                customer_id=f"cus_{number}", pin=PIN, address=f"203.0.113.{number}", now=now
            )
            for number in range(12)
        ]
    )

    assert most[0] == 4


def test_it_gives_up_where_there_is_no_place_to_hash(
    holder: Customer, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pin_hashing, "WAIT_SECONDS", 0)

    def busy() -> Iterator[object]:
        return iter([hashing() for _ in range(pin_hashing.HASHES_AT_ONCE)])

    places = list(busy())
    for place in places:
        place.__enter__()  # type: ignore[attr-defined]
    try:
        with pytest.raises(ServiceUnavailable):
            check(holder, PIN, now)
    finally:
        for place in places:
            place.__exit__(None, None, None)  # type: ignore[attr-defined]

    holder.refresh_from_db()
    assert holder.pin_failures == 0
    check(holder, PIN, now)


@pytest.mark.parametrize("call", ["check", "set", "change", "replace"])
def test_nothing_is_hashed_inside_a_transaction(
    holder: Customer, now: datetime, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Hasher, "hash", pytest.fail)
    monkeypatch.setattr(Hasher, "matches", pytest.fail)
    calls = {
        "check": lambda: check(holder, PIN, now),
        "set": lambda: set_pin(customer_id=holder.id, pin=OTHER_PIN, now=now),
        "change": lambda: change_pin(
            customer_id=holder.id, pin=PIN, new_pin=OTHER_PIN, address=ADDRESS, now=now
        ),
        "replace": lambda: replace_pin(holder, OTHER_PIN, now=now),
    }

    with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
        calls[call]()


def test_an_unknown_customer_is_a_wrong_pin_and_takes_as_long(
    db: None, now: datetime, hashes: list[str]
) -> None:
    with pytest.raises(InvalidPin) as refusal:
        check_pin(customer_id="cus_none", pin=PIN, address=ADDRESS, now=now)

    assert refusal.value.tries_left == 4
    assert hashes == [PIN]


@pytest.mark.parametrize("pin", ["", "123", "1234567", "12a4", "١٢٣٤"])
def test_what_is_no_pin_costs_no_try(holder: Customer, now: datetime, pin: str) -> None:
    with pytest.raises(ValidationFailed):
        check(holder, pin, now)

    holder.refresh_from_db()
    assert holder.pin_failures == 0


def test_a_customer_without_a_pin_has_none_to_guess(payer: Customer, now: datetime) -> None:
    with pytest.raises(PinNotSet):
        check(payer, PIN, now)

    payer.refresh_from_db()
    assert payer.pin_failures == 0
    assert Quota.objects.get().used == 0


def test_a_test_customer_has_the_documented_pin(tester: Customer, now: datetime) -> None:
    check(tester, "1234", now)

    tester.refresh_from_db()
    assert tester.pin_hash.startswith("$argon2id$")
    check(tester, "1234", now)
    with pytest.raises(InvalidPin):
        check(tester, PIN, now)


def test_a_test_customer_locks_like_a_live_one(tester: Customer, now: datetime) -> None:
    assert isinstance(guess_wrong(tester, 5, now), PinLocked)
    with pytest.raises(PinLocked):
        check(tester, "1234", now)


def test_the_magic_phone_whose_pins_are_wrong_locks_and_starts_again(
    db: None, now: datetime
) -> None:
    customer = test_customer("+12425550102", now)
    for _ in range(3):
        for left in (4, 3, 2, 1):
            with pytest.raises(InvalidPin) as refusal:
                check(customer, "1234", now)
            assert refusal.value.tries_left == left
        with pytest.raises(PinLocked) as locked:
            check(customer, "1234", now)
        assert locked.value.until == now + HALF_AN_HOUR


def test_the_magic_phone_whose_pin_is_locked(db: None, now: datetime, hashes: list[str]) -> None:
    customer = test_customer("+12425550106", now)
    for _ in range(12):
        with pytest.raises(PinLocked) as refusal:
            check(customer, "1234", now)
        assert refusal.value.until == now + HALF_AN_HOUR
    assert hashes == []


def test_one_address_cannot_try_many_customers(db: None, now: datetime, hashes: list[str]) -> None:
    for number in range(20):
        with pytest.raises(InvalidPin):
            check_pin(customer_id=f"cus_{number}", pin=PIN, address=ADDRESS, now=now)

    with pytest.raises(RateLimited) as refusal:
        check_pin(customer_id="cus_20", pin=PIN, address=ADDRESS, now=now)

    assert refusal.value.headers["Retry-After"] == "3601"
    assert len(hashes) == 20
    with pytest.raises(InvalidPin):
        check_pin(customer_id="cus_20", pin=PIN, address="203.0.113.8", now=now)
    with pytest.raises(InvalidPin):
        check_pin(customer_id="cus_20", pin=PIN, address=ADDRESS, now=now + timedelta(hours=1))


def test_right_pins_from_one_address_are_not_limited(holder: Customer, now: datetime) -> None:
    for _ in range(21):
        check(holder, PIN, now)

    guess_wrong(holder, 1, now)
    assert Quota.objects.get(key="wrong-pin-address:203.0.113.7").used == 1


def test_too_many_wrong_pins_in_all_close_the_pin(
    holder: Customer, now: datetime, hashes: list[str]
) -> None:
    Quota.objects.create(
        key="wrong-pin:everywhere", used=9_999, ends_at=now + timedelta(minutes=10)
    )
    guess_wrong(holder, 1, now)

    with pytest.raises(RateLimited):
        check(holder, PIN, now)

    assert len(hashes) == 1
    check(holder, PIN, now + timedelta(minutes=10))


def test_a_test_customer_is_not_limited_by_address(now: datetime, db: None) -> None:
    for number in range(30):
        with pytest.raises(InvalidPin):
            check(test_customer(f"+1242555{2000 + number}", now), PIN, now)

    assert Quota.objects.count() == 0


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


def test_whoever_knows_the_pin_may_change_it(holder: Customer, now: datetime) -> None:
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
