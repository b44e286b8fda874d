"""Wrong PINs are counted beyond the one customer: per address, and in all."""

from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

import pytest

from core.attempt_limits import AttemptLimit
from core.errors import RateLimited
from core.models import Quota
from customers import codes, wrong_pins
from customers.account_changes import last_unfrozen_at
from customers.errors import CodeExpired, InvalidCode, InvalidPin, PinDisabled, PinLocked
from customers.models import CodePurpose, Customer, SignInCode
from customers.pin_locks import lock_of
from customers.pins import check_pin, set_pin
from customers.services import find_or_create, freeze, test_customer, unfreeze
from merchants.models import Merchant
from tests.customers.conftest import LIVE_PHONE
from tests.customers.guessing import ADDRESS, PIN, WRONG_PIN, check, guess_wrong
from tests.customers.texts import ask

pytestmark = pytest.mark.django_db


def test_one_address_cannot_try_many_customers(db: None, now: datetime, hashes: list[str]) -> None:
    for number in range(20):
        with pytest.raises(InvalidPin):
            check_pin(customer_id=f"cus_{number}", pin=PIN, address=ADDRESS, now=now)

    with pytest.raises(RateLimited) as refusal:
        check_pin(customer_id="cus_20", pin=PIN, address=ADDRESS, now=now)

    assert refusal.value.headers["Retry-After"] == "3600"
    with pytest.raises(RateLimited):
        check_pin(customer_id="cus_20", pin=PIN, address=ADDRESS, now=now)
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


def test_one_customer_locks_no_one_else_out_behind_a_shared_address(
    holder: Customer, now: datetime
) -> None:
    """Four wrong ones and the right one, again and again: 20 of them would close the address."""
    neighbour = find_or_create(phone="+1 242 357 0001", now=now)
    set_pin(customer_id=neighbour.pk, pin=PIN, now=now)

    for _ in range(6):
        guess_wrong(holder, 4, now)
        check(holder, PIN, now)

    check(neighbour, PIN, now)
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


def test_one_customer_does_not_use_up_what_all_may_get_wrong(
    holder: Customer, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four wrong ones and the right one, again and again, from one /64 after another."""
    monkeypatch.setattr(
        wrong_pins, "WRONG_IN_ALL", AttemptLimit("wrong-pin", 40, timedelta(hours=1))
    )

    for network in range(12):
        for pin in (*[WRONG_PIN] * 4, PIN):
            with suppress(InvalidPin, RateLimited):
                check(holder, pin, now, f"2001:db8:0:{network:x}::1")

    with pytest.raises(RateLimited):
        check(holder, PIN, now)
    assert Quota.objects.get(key="wrong-pin:everywhere").used == 30
    with pytest.raises(InvalidPin):
        check_pin(customer_id="cus_another", pin=PIN, address=ADDRESS, now=now)
    check(holder, PIN, now + timedelta(days=1))


def test_a_test_customer_is_not_limited_by_address(merchant: Merchant, now: datetime) -> None:
    for number in range(30):
        tester = test_customer(f"+1242555{2000 + number}", now, merchant_id=merchant.id)
        with pytest.raises(InvalidPin):
            check(tester, PIN, now)

    assert Quota.objects.count() == 0


@pytest.mark.parametrize(
    ("phone", "columns", "until"),
    [
        (LIVE_PHONE, {}, None),
        (LIVE_PHONE, {"pin_failures": 10}, "disabled"),
        (LIVE_PHONE, {"pin_failures": 9, "pin_locked_until": timedelta(0)}, None),
        (LIVE_PHONE, {"pin_locked_until": timedelta(seconds=1)}, timedelta(seconds=1)),
        ("+12425550106", {}, timedelta(minutes=30)),
    ],
)
def test_what_any_pin_would_meet_now(
    now: datetime, phone: str, columns: dict[str, Any], until: object
) -> None:
    for name, value in columns.items():
        columns[name] = now + value if isinstance(value, timedelta) else value
    lock = lock_of(Customer(phone=phone, livemode=phone == LIVE_PHONE, **columns), now=now)

    if until is None or lock is None:
        assert (lock, until) == (None, None)
    else:
        assert isinstance(lock, PinDisabled) == (until == "disabled")
        assert lock.until == (now + until if isinstance(until, timedelta) else None)


@pytest.mark.parametrize(
    ("until", "is_locked"), [(None, False), (timedelta(0), False), (timedelta.resolution, True)]
)
def test_a_pin_is_locked_until_its_time_and_no_longer(
    now: datetime, until: timedelta | None, is_locked: bool
) -> None:
    customer = Customer(pin_locked_until=None if until is None else now + until)

    assert customer.is_pin_locked(now) is is_locked


def test_what_the_refusals_say(now: datetime) -> None:
    refusals = (InvalidPin(3), InvalidPin(), PinLocked(now), InvalidCode(2))

    assert [error.details for error in refusals] == ["attempts left: 3", "", "", "attempts left: 2"]


def test_a_code_that_another_request_has_used_meanwhile_is_used(
    now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    handle = ask(now, phone="+12425550100", livemode=False)

    def used_meanwhile(*_: object) -> bool:
        return bool(SignInCode.objects.update(used_at=now))

    monkeypatch.setattr(codes, "_is_code", used_meanwhile)
    with pytest.raises(CodeExpired):
        codes.check_code(handle=handle, code="000000", purpose=CodePurpose.SIGN_IN, now=now)


def test_the_account_that_was_unfrozen_last(
    payer: Customer, tester: Customer, now: datetime
) -> None:
    for who, minutes in ((payer, 2), (payer, 1), (tester, 3)):
        at = now + timedelta(minutes=minutes)
        freeze(customer_id=who.pk, actor="staff:ada", now=at)
        unfreeze(customer_id=who.pk, actor="staff:ada", now=at)
    freeze(customer_id=payer.pk, actor="staff:ada", now=now + timedelta(minutes=4))

    assert last_unfrozen_at(payer.pk) == now + timedelta(minutes=2)
    assert last_unfrozen_at("cus_none") is None
